"""Integrations of rankwise into other tools. No other module imports these modules.

ir_measures.py is a provider for ir_measures, which it requires, and has the metrics of rankwise as
measures. pyterrier.py has tests, scores and frames for PyTerrier's experiments; it works on data
frames and does not import PyTerrier.
"""
