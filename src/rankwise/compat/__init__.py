"""Interfaces of trec_eval (`rankwise trec_eval`) and pytrec_eval, to replace these tools."""
