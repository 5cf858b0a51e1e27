"""Interfaces of other tools: `rankwise trec_eval`, and pytrec_eval's."""
