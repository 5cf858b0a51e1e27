"""rankwise inside other tools; each module needs its tool, and nothing imports it.

ir_measures.py  a provider that serves ir_measures' measures, and rankwise's own as measures
pyterrier.py    tests, scores and frames for PyTerrier's experiments
"""
