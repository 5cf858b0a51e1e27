"""Integrations of rankwise into other tools. Each module requires its tool.

No other module imports them. ir_measures.py is a provider for ir_measures, with rankwise's own
metrics as measures. pyterrier.py has tests, scores and frames for PyTerrier's experiments.
"""
