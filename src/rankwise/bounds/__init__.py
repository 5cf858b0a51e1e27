"""The proofs: how low and high a score can be under any judgment of the unjudged documents.

grid.py       rankings laid out rank by rank, and the scans over cuts that most metrics share
cuts.py       extremes over cuts where no running sum gives the score of every cut at once
undefined.py  topics that have no score under the current judgments, and means over them
"""
