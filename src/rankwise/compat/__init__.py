"""Interfaces of other tools: trec_eval (`rankwise trec_eval`) and pytrec_eval."""
