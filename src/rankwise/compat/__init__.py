"""Other tools' own ways of calling: `rankwise trec_eval`."""
