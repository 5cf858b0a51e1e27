"""Which family has which metrics, so that only those that are asked for are loaded.

A test holds it to what the families register.
"""

FAMILIES: dict[str, tuple[str, ...]] = {
    "average_precision": ("AP", "GAP", "SP", "YAAP", "APStar", "infAP"),
    "blended": ("NCU", "O", "PMeasure", "PPlus", "Q", "RMeasure"),
    "cascade": ("ERR", "NERR8", "NERR9", "NERR10", "NERR11", "RBP2", "nERR"),
    "counts": ("Judged", "NumNonrelRet", "NumQ", "NumRel", "NumRelRet", "NumRet", "Unjudged"),
    "dcg": ("DCG", "SDCG", "SNDCG", "nDCG"),
    "expected_utility": ("EBR", "iRBU", "nEBR", "niRBU"),
    "trec_eval_gain": ("G", "Rndcg", "binG", "nDCGRel"),
    "goals": ("BPM", "INST"),
    "interpolated_precision": ("IPrec", "IPrecMean"),
    "compatibility": ("Compat",),
    "precision": ("P", "Recall", "RelP", "Rprec"),
    "preference": ("Accuracy", "Bpref", "RankEff"),
    "rbp": ("INSQ", "RBP", "BetaRBP", "InvSq", "RBPResidual", "ScaledRBP", "nRBP"),
    "reading_time": ("TBG", "U"),
    "reciprocal_rank": ("RR", "BestGain", "RankPower", "SearchLength", "Success"),
    "sets": ("SetAP", "SetF", "SetP", "SetR", "Shaw", "Utility"),
    "weighted_reciprocal_rank": ("NWRR", "WRR"),
}

HOMES = {name: family for family, names in FAMILIES.items() for name in names}
