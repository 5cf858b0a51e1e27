"""Interfaces of other tools: `rankwise trec_eval`, and that of pytrec_eval."""
