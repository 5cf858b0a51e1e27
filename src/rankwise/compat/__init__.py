"""Other tools' own ways of calling: `rankwise trec_eval`, and pytrec_eval's interface."""
