"""What each metric must obey. A metric of the registry without an entry fails the suite."""

import math
from typing import NamedTuple


class Laws(NamedTuple):
    """`examples`: settings to try. `least`, `greatest`: where every score lies."""

    examples: list[str]
    least: float = 0.0
    greatest: float = 1.0


UNIT = "{1:0.25,2:0.5,3:1}"

LAWS = {
    "AP": Laws(
        ["AP", "AP(rel=2)@5", "AP(judged_only=True)", "AP@3", "AP(norm=min)@4"]
        + ["AP(norm=min,judged_only=True)@3"]
    ),
    "APStar": Laws(["APStar", "AP*(rel=2,judged_only=True)@4"]),
    "Accuracy": Laws(["Accuracy", "Accuracy(rel=2)@6"]),
    "AP_IA": Laws(["AP_IA", "AP_IA(rel=2)"]),
    "BPM": Laws(
        ["BPM(max_rel=3)@5", "BPM(max_rel=3,min_rel=1)@6", f"BPM(T=0.6,gains={UNIT})@8"]
        + ["BPM(T=0,max_rel=3)@4"]
    ),
    "BestGain": Laws(["BestGain@1", "BestGain(gains=5:2:1)@4"], greatest=math.inf),
    "BetaRBP": Laws(
        ["BetaRBP", "BetaRBP(alpha=4,beta=1.5)", f"BetaRBP(alpha=0.5,gains={UNIT})@7"]
        + ["BetaRBP(alpha=3,beta=2,ties=share)@5", "BetaRBP(rel=2,judged_only=True)"]
    ),
    "Bpref": Laws(
        ["Bpref", "Bpref(rel=2)", "Bpref(k=2)", "Bpref(norm=full)", "Bpref(k=10,norm=full,rel=2)"]
    ),
    "AgreedPairs": Laws(["AgreedPairs"]),
    "Compat": Laws(["Compat", "Compat(p=0.5,normalize=False)"]),
    "DCG": Laws(
        ["DCG", "DCG@4", "DCG(dcg=exp-log2,gains=5:2:1,judged_only=True)@6", "DCG(b=3)"]
        + ["DCG(ties=share)@5", "DCG(rel=2)@6"],
        greatest=math.inf,
    ),
    "D_nDCG": Laws(["D_nDCG", "D_nDCG(gains=5:2:1)@4"]),
    "Dsharp_nDCG": Laws(["Dsharp_nDCG@5", "Dsharp_nDCG(gamma=0.2,rel=2,gains=5:2:1)@3"]),
    "EBR": Laws(
        ["EBR(max_rel=3)", "EBR(max_rel=3,beta=2,gains={1:1,2:3,3:7})@4"]
        + ["EBR(max_rel=4,rel=2,judged_only=True)", "EBR(max_rel=1)@3"]
    ),
    "ERR": Laws(["ERR(max_rel=3)", "ERR(max_rel=4,stop=linear)@4", f"ERR(gains={UNIT})@3"]),
    "ERR_IA": Laws(["ERR_IA", "ERR_IA(alpha=0.3,rel=2)@4", "ERR_IA(alpha=0)@3"]),
    "G": Laws(["G", "G(gains=5:2:1,dcg=exp-log2,b=2,judged_only=True)@6"]),
    "GAP": Laws(["GAP", "GAP@4", "GAP(shares={1:0.5,2:0.25,3:0.25})", "GAP(shares={1:1,3:2})@5"]),
    "IA": Laws(["IA(nDCG@5)", "IA(RBP(p=0.8,rel=2))", "IA(AP)", "IA(RR(judged_only=True)@3)"]),
    "INSQ": Laws(
        ["INSQ", f"INSQ(T=2.5,gains={UNIT})@6", "INSQ(rel=2,judged_only=True)", "INSQ(ties=share)"]
        + ["INSQ(max_rel=3)@9", "INSQ(max_rel=3,min_rel=1)"]
    ),
    "INST": Laws(
        [
            "INST(max_rel=3)",
            "INST(T=3,max_rel=1)@8",
            "INST(max_rel=3,min_rel=1)",
            f"INST(gains={UNIT})",
        ]
    ),
    "IPrec": Laws(
        ["IPrec@0", "IPrec(rel=2)@0.4", "IPrec(judged_only=True)@1", "iprec_at_recall_0.3"]
        + ["IPrec(rounding=nearest,rel=2)@0.5"]
    ),
    "IPrecMean": Laws(["11pt_avg", "3pt_avg", "IPrecMean", "IPrecMean(rel=2,judged_only=True)"]),
    "InvSq": Laws(
        ["InvSq", f"InvSq(gains={UNIT})@6", "InvSq(rel=2,judged_only=True)", "InvSq(ties=share)"]
    ),
    "Judged": Laws(["Judged", "Judged@3"]),
    "NCU": Laws(
        ["NCU", "NCUguP", "NCUguBR(gains=5:2:1,rel=2)", "NCUrbP(gamma=0.5)@5"]
        + ["NCUrbBR(judged_only=True)", "NCUrbIE", "NCU(utility=effort,p=0.7)@6"]
        + ["NCU(stop=graded,utility=effort)"]
    ),
    "NERR8": Laws(["NERR8(max_rel=3,min_rel=1)@5", f"NERR8(gains={UNIT})@20"]),
    "NERR9": Laws(["NERR9(max_rel=3,min_rel=1)@5", f"NERR9(gains={UNIT})@20"]),
    "NERR10": Laws(
        ["NERR10(max_rel=3,min_rel=1)", "NERR10(max_rel=3,p=0.5)@5", f"NERR10(gains={UNIT})"]
        + ["NERR10(max_rel=3,p=0)", "NERR10(max_rel=3,p=0)@5"]
    ),
    "NERR11": Laws(
        ["NERR11(max_rel=3,min_rel=1)", "NERR11(max_rel=3,T=2)@5", f"NERR11(gains={UNIT})"]
    ),
    "NRBP": Laws(["NRBP", "NRBP(alpha=0.2,beta=0.8,rel=2)"]),
    "NWRR": Laws(["NWRR", "NWRR(beta={1:9,2:5,3:1.5},judged_only=True)@4"]),
    "NumNonrelRet": Laws(["NumNonrelRet", "NumNonrelRet(rel=2)"], greatest=math.inf),
    "NumQ": Laws(["NumQ"]),
    "NumRel": Laws(["NumRel", "NumRel(rel=2)"], greatest=math.inf),
    "NumRelRet": Laws(["NumRelRet", "NumRet(rel=2)", "NumRelRet(rel=3)@4"], greatest=math.inf),
    "NumRet": Laws(["NumRet"], greatest=math.inf),
    "O": Laws(["O", "O(beta=2,gains=5:2:1,rel=2,judged_only=True)@6"]),
    "P": Laws(["P@1", "P@5", "P(rel=2)@20", "P(judged_only=True)@3", "P(ties=share)@4"]),
    "P_IA": Laws(["P_IA@3", "P_IA(rel=2)@20"]),
    "PMeasure": Laws(["P-measure", "P-measure(beta=0.5,gains=5:2:1,rel=2,judged_only=True)@6"]),
    "PPlus": Laws(["P-plus", "P-plus(beta=0.5,gains=5:2:1,rel=2,judged_only=True)@6"]),
    "Q": Laws(
        ["Q", "Q(beta=0)", "Q(beta=2,gains=5:2:1,rel=2,judged_only=True)@6"]
        + ["Q(norm=min)@4", "Q(norm=min,beta=0,rel=2)@5"]
    ),
    "RBP": Laws(
        ["RBP", "RBP(p=0.5,rel=2)", f"RBP(p=0.95,gains={UNIT})@7", "RBP(judged_only=True)"]
        + ["RBP(ties=share)@5", "RBP(p=0)", "RBP(p=0,judged_only=True)", "RBP(p=0,ties=share)"]
    ),
    "RBP2": Laws(
        ["RBP2(p1=0.5,p2=0.9)", "RBP2(p1=0.95,p2=0.6,rel=2)", "RBP2(p1=0,p2=0.9)"]
        + ["RBP2(p1=0.9,p2=0)", "RBP2(p1=0,p2=0)"]
    ),
    "RBPResidual": Laws(["RBPResidual", "RBPResidual(p=0.5)", "RBPResidual(p=0)", "rbp_resid"]),
    "RMeasure": Laws(
        ["R-measure", "R-measure(beta=0)", "R-measure(gains={1:1,2:1,3:1})", "R-measure@3"]
        + ["R-measure(beta=2,gains=5:2:1,rel=2,judged_only=True)@6"]
    ),
    "RR": Laws(["RR", "RR@3", "RR(rel=2,judged_only=True)@5", "RR(n=2)", "RR(n=3,k=2)@8"]),
    "RankEff": Laws(["RankEff", "RankEff(rel=2)"]),
    "RankPower": Laws(
        ["RankPower", "RankPower(rel=2,judged_only=True,give_up=3)@6"], greatest=1000.0
    ),
    "Recall": Laws(["Recall", "Recall@4", "Recall(rel=2,judged_only=True)@4"]),
    "RelP": Laws(["RelP@4", "RelP(rel=2,judged_only=True)@3"]),
    "Rndcg": Laws(["Rndcg", "Rndcg(gains=5:2:1,dcg=exp-log2,b=2,judged_only=True)@5"]),
    "Rprec": Laws(
        ["Rprec", "Rprec(rel=2)", "Rprec(judged_only=True)", "Rprec(mult=0.5)", "Rprec@2"]
    ),
    "SDCG": Laws(
        [
            "SDCG(max_rel=3)@4",
            "SDCG(max_rel=3,min_rel=1)@5",
            "SDCG(max_rel=2,dcg=exp-log2,b=3,judged_only=True)@6",
        ]
        + ["SDCG(max_rel=9,gains=9:2:1,ties=share)@5"]
    ),
    "SNDCG": Laws(["SN-DCG", "SN-DCG(dcg=exp-log2,gains=5:2:1,b=2,judged_only=True)@5"]),
    "SP": Laws(["SP", "SP(rel=2,judged_only=True)@5"], greatest=math.inf),
    "ScaledRBP": Laws(["rbp", "ScaledRBP(p=0.5,gains={1:0.5,2:3})", "ScaledRBP(gains={1:1,3:9})"]),
    "SearchLength": Laws(
        ["ESL", "ESL(n=2,rel=2)", "ESL(give_up=2)", "ESL(n=3,per=document)"], greatest=1000.0
    ),
    "SetAP": Laws(["SetAP", "SetAP(rel=2,judged_only=True)"]),
    "SetF": Laws(["SetF", "SetF(beta=0.5,rel=2,judged_only=True)@5"]),
    "SetP": Laws(["SetP", "SetP(relative=True,rel=2,judged_only=True)"]),
    "SetR": Laws(["SetR", "SetR(rel=2,judged_only=True)"]),
    "Shaw": Laws(["Shaw", "Shaw(rel=2,judged_only=True)@5"]),
    "StRecall": Laws(["StRecall@2", "StRecall(rel=2)@6"]),
    "Success": Laws(["Success@1", "Success(rel=3)@5", "Success(judged_only=True)@2"]),
    "TBG": Laws(
        ["TBG(length=300)", "TBG(length=0,h=30,rel=2)@5", "TBG(length=900,click=0.2,stray=0.7)"]
        + ["TBG(length=20,summary=1,visit=2,word=0.5,save=1)"],
        greatest=math.inf,
    ),
    "U": Laws(
        ["U(length=5000)", "U(length=300,L=900,snippet=50,read=0.5)", "U(length=40,gains=5:2:1)@6"],
        greatest=math.inf,
    ),
    "Unjudged": Laws(["Unjudged@5"]),
    "Utility": Laws(
        ["Utility", "Utility(a=3,b=0.5,c=-2,d=0.1,documents=100,rel=2,judged_only=True)"],
        least=-math.inf,
        greatest=math.inf,
    ),
    "WRR": Laws(["WRR", "WRR(beta={1:9,2:5,3:1.5},judged_only=True)@4"], greatest=3.0),
    "YAAP": Laws(["YAAP", "YAAP(rel=2,judged_only=True)@4"], least=-math.inf, greatest=math.inf),
    "alpha_DCG": Laws(["alpha_DCG", "alpha_DCG(alpha=0.3,rel=2)@4"]),
    "alpha_nDCG": Laws(["alpha_nDCG", "alpha_nDCG(alpha=0.3,rel=2)@4", "alpha_nDCG@3"]),
    "binG": Laws(["binG", "binG(rel=2)"]),
    "infAP": Laws(["infAP", "infAP(rel=2)"]),
    "iRBU": Laws(["iRBU(max_rel=3)", "iRBU(max_rel=4,p=0.5)@4", "iRBU(gains={1:1,2:5,3:7})@5"]),
    "nDCG": Laws(
        ["nDCG", "nDCG@5", "nDCG(dcg=exp-log2)", "nDCG(gains={1:3,2:1,3:0.5})@4"]
        + ["nDCG(judged_only=True)@3", "nDCG(b=2)", "nDCG(rel=1)@5", "nDCG(rel=2)"]
        + ["nDCG(rel=2,judged_only=True)@4"]
    ),
    "nDCGRel": Laws(["nDCGRel", "nDCGRel(gains=5:2:1,dcg=exp-log2,b=2,judged_only=True)@5"]),
    "nEBR": Laws(
        ["nEBR(max_rel=3)", "nEBR(max_rel=3,beta=2,gains={1:1,2:3,3:7})@4"]
        + ["nEBR(max_rel=4,rel=2,judged_only=True)"]
    ),
    "nERR_IA": Laws(["nERR_IA", "nERR_IA(alpha=0.3,rel=2)@4"]),
    "nNRBP": Laws(["nNRBP", "nNRBP(alpha=0.2,beta=0.8,rel=2)"]),
    "niRBU": Laws(["niRBU(max_rel=3)", "niRBU(max_rel=4,p=0.5,gains={1:9,2:5,3:1})@4"]),
    "nRBP": Laws(["nRBP", "nRBP(p=0.5,gains={1:3,2:1,3:0.5})@4", "nRBP(judged_only=True)@3"]),
    "nERR": Laws(["nERR(max_rel=3)", "nERR(max_rel=3,stop=linear)@4", f"nERR(gains={UNIT})@3"]),
}

# Their loops need the scores: tests/laws/test_ties.py has them.
SHARING = [
    example for laws in LAWS.values() for example in laws.examples if "ties=share" in example
]
EXAMPLES = [example for laws in LAWS.values() for example in laws.examples]
