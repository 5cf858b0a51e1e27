"""Names of metrics in other tools, with rankwise's name or the reason why there is none.

The tables are checked against the tools in tests/golden/test_dialects.py. A `#` stands for any
number. For a name with a cutoff, an entry with `@#` takes precedence over the entry without. Most
names in trec_eval and ir_measures are not listed here: `register` adds them as aliases of a metric.
"""

# Names in other tools, and our metric with the same formula.
STANDS_FOR = {
    # MTEB: measures of trec_eval (through pytrec_eval) and of BEIR.
    "ndcg_at_#": "nDCG@#",
    "map_at_#": "AP@#",
    "recall_at_#": "Recall@#",
    "precision_at_#": "P@#",
    "mrr_at_#": "RR@#",
    "hit_rate_at_#": "Success@#",
    "HitRate": "Success",
    "R_cap_at_#": "RelP@#",
    # BEIR. Its NDCG, MAP, Recall and P are those of trec_eval.
    "R_cap": "RelP",
    "recall_cap": "RelP",
    "top_k_accuracy": "Success",
    "top_k_acc": "Success",
    # sentence-transformers, where the prefix is the similarity (see SIMILARITIES). Its judgments
    # are sets of relevant documents. Its nDCG is therefore binary, and its AP divides by min(k, R).
    "cosine_accuracy": "Success",
    "cosine_precision": "P",
    "cosine_recall": "Recall",
    "cosine_ndcg": "nDCG(rel=1)",
    "cosine_mrr": "RR",
    "cosine_map": "AP(norm=min)",
    # ranx
    "precision": "SetP",
    "precision@#": "P",
    "r-precision": "Rprec",
    # trec_eval: measures as written after its option `-m`, and a name used before version 9.0.
    "P.#": "P@#",
    "recall.#": "Recall@#",
    "ndcg_cut.#": "nDCG@#",
    "map_cut.#": "AP@#",
    "success.#": "Success@#",
    "relative_P.#": "RelP@#",
    "unj.#": "Unjudged@#",
    "set_F.#": "SetF(beta=#)",
    "Rprec_mult.#": "Rprec(mult=#)",
    "iprec_at_recall.#": "IPrec(rounding=nearest)@#",
    "ndcg_p": "nDCG(b=2)",
}

# Names of trec_eval's measures that are undefined for a topic without relevant documents. trec_eval
# counts such a topic as 0. `Rprec` is not listed because it is also our own name.
TREC_EVAL_AVERAGES = (
    *("map", "map_cut_#", "map_cut.#", "ndcg", "ndcg_cut_#", "ndcg_cut.#", "ndcg_p", "ndcg_rel"),
    *("Rndcg", "bpref", "recall_#", "recall.#", "Rprec_mult_#", "Rprec_mult.#", "11pt_avg"),
    *("iprec_at_recall_#", "iprec_at_recall.#", "relative_P_#", "relative_P.#", "set_map"),
    *("set_recall", "set_relative_P", "set_F", "set_F_#", "set_F.#", "infAP", "binG", "G"),
)

# Similarities of sentence-transformers: cosine_ndcg@10, dot_ndcg@10, in csv files dot-NDCG@10.
SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan", "maxsim", "meanmaxsim")

# NTCIREVAL writes cutoffs in four digits: Q@0010. Its stopping probability is gain / (max + 1).
NTCIREVAL_CUTOFF = r"0\d{3}"
NTCIREVAL = {
    "AP": "AP(norm=min)",
    "Q": "Q(norm=min)",
    "nDCG": "nDCG(b=2)",
    "MSnDCG": "nDCG",
    "ERR": "ERR(stop=linear)",
    "nERR": "nERR(stop=linear)",
    "nRBP": "nRBP(p=0.95)",
    "Hit": "Success",
}
NTCIREVAL_NOT_HERE = {
    "RBP": "NTCIREVAL's RBP divides each gain by the largest gain. "
    "Write RBP(p=0.95,gains={1:0.5,2:1})@10",
}

_ACCURACY = (
    "accuracy has several meanings. accuracy@k of BEIR and sentence-transformers is Success@k; "
    "MTEB's accuracy is Recall@1. Accuracy@k, as in ir_measures, is the fraction of pairs of a "
    "relevant and a non-relevant document in which the relevant document ranks higher. Use one of "
    "these names"
)
_HOLE = (
    "Hole@k of BEIR and MTEB counts documents that are not judged for any topic. Unjudged@k also "
    "counts documents that are judged only for other topics. Write Unjudged@k"
)
_COVERAGE = (
    "coverage has several meanings. Judged@k is the fraction of the first k documents that are "
    "judged. Recall@k is the fraction of the relevant documents that are in the first k. rankwise "
    "has no metric for the coverage of facts or of a catalogue"
)
_RANX_RBP = (
    "ranx's rbp uses the grades themselves as gains, and equals RBP only if all grades are 0 or 1. "
    "Write RBP(p=0.95) for binary gains, or set gains from 0 to 1: RBP(p=0.95,gains={1:0.5,2:1})"
)
_OVER_TOPICS = "It is a number of the whole run, and metrics of rankwise score one topic at a time"
_GEOMETRIC = "it is the geometric mean of {0} over topics"
_GMAP, _GM_BPREF = _GEOMETRIC.format("AP"), _GEOMETRIC.format("Bpref")
GEOMETRIC_MEANS = {_GMAP, _GM_BPREF}  # reasons that suggest an argument

# Names without a metric in rankwise, with the reason.
NOT_HERE = {
    "accuracy": _ACCURACY,
    "acc": _ACCURACY,
    **dict.fromkeys(("Hole", "Holes", "Hole_at_#"), _HOLE),
    "coverage": _COVERAGE,
    "ADM": "the average distance measure of Della Mea and Mizzaro compares the retrieval scores of "
    "a system with the judgments, but metrics of rankwise only use ranks",
    "rbp.#": _RANX_RBP,
    "rbp@#": _RANX_RBP,
    "r-precision@#": "ranx's r-precision ignores its cutoff. Write Rprec, or Rprec@k "
    "if documents below rank k must not count",
    "ndcg_cut": "trec_eval's ndcg_cut is nDCG at nine cutoffs. Write nDCG@10, or ndcg_cut_10",
    "map_cut": "trec_eval's map_cut is AP at nine cutoffs. Write AP@100, or map_cut_100",
    "Rprec_mult": "trec_eval's Rprec_mult is Rprec at ten multiples of R. Write "
    "Rprec(mult=1.2), or Rprec_mult_1.2",
    "iprec_at_recall": "trec_eval's iprec_at_recall is IPrec at eleven recalls. Write "
    "IPrec(rounding=nearest)@0.1, or iprec_at_recall_0.1",
    **dict.fromkeys(("GMAP", "gm_map"), _GMAP),
    "gm_bpref": _GM_BPREF,
    "relstring": "it is a string, not a number. The command `rankwise trec_eval` prints it",
    "p-MRR": f"MTEB's p-MRR compares two runs with different instructions. {_OVER_TOPICS}",
    "paired_accuracy": f"MTEB's paired_accuracy is computed over pairs of topics. {_OVER_TOPICS}",
    "robustness_at_#": f"MTEB's robustness uses the lowest nDCG of topic groups. {_OVER_TOPICS}",
}
# Estimates from sampled judgments. They are not functions of one judged ranking.
FROM_SAMPLES = ("statAP", "xinfAP", "infNDCG")
# Prefixes of names without a metric in rankwise, with the reason.
NOT_HERE_FROM = {
    "nauc_": f"MTEB's nAUC measures how well scores predict when to abstain. {_OVER_TOPICS}",
    "max_over_subqueries_": "MTEB's max_over_subqueries merges the rankings of several topics "
    "before scoring. Merge the rankings, and use the metric whose name follows this prefix",
}
