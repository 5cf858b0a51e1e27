"""Integrations of rankwise into other tools. No other module imports these modules.

`ir_measures` has a provider for ir_measures, and the metrics of rankwise as its measures.
`pyterrier` has significance tests, scores and data frames for PyTerrier's experiments. It does not
import PyTerrier.
"""
