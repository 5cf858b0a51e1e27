"""What other tools call their metrics: the same formula by their name, or an error that says why.

The tools bring numba or torch, so what they printed is kept here. For the collection below:

ranx 0.3.21       `evaluate(Qrels(QRELS), run := Run(RUN), [name]); run.scores[name]`
beir 2.2.0        `EvaluateRetrieval.evaluate({t: QRELS[t]}, {t: RUN[t]}, [1, 3, 5])`, and
                  `evaluate_custom` with mrr, recall_cap and top_k_accuracy, for each topic t
mteb 2.26.24      `calculate_retrieval_scores({t: RUN[t]}, {t: QRELS[t]}, [1, 3, 5])` through
                  `make_score_dict`, and `recall_cap`, of mteb/_evaluators/retrieval_metrics.py
sentence-transformers 6.2.0
                  `InformationRetrievalEvaluator.compute_metrics` for each topic, its relevant
                  documents being those of a grade above 0
"""

import re

import pytest

import rankwise
from rankwise.errors import MetricError, UnknownMetric, WrongParameter
from rankwise.metrics import ALIASES, REGISTRY, parse
from rankwise.metrics.aliases import (
    NOT_HERE,
    NOT_HERE_FROM,
    NTCIREVAL,
    NTCIREVAL_NOT_HERE,
    SIMILARITIES,
    STANDS_FOR,
)

QRELS = {
    "1": {"a": 1, "b": 3, "c": 0, "d": 2, "e": 1},
    "2": {"a": 2, "f": 0, "g": 1},
    "3": {"b": 1, "h": 1, "i": 2, "j": 3, "k": 1, "l": 0, "m": 2},
}
RUN = {
    "1": {"c": 9.0, "b": 8.5, "x": 8.0, "a": 7.0, "y": 6.0, "d": 5.0},
    "2": {"f": 4.0, "x": 3.0, "e": 2.5, "a": 2.0},
    "3": {"i": 9.0, "l": 8.0, "k": 7.0, "z": 6.0, "b": 5.0, "j": 4.0, "m": 3.0},
}

RANX = {
    "hits": [3.0, 1.0, 5.0],
    "hits@3": [1.0, 0.0, 2.0],
    "hit_rate@1": [0.0, 0.0, 1.0],
    "hit_rate@3": [1.0, 0.0, 1.0],
    "precision": [0.5, 0.25, 0.714286],
    "precision@5": [0.4, 0.2, 0.6],
    "recall": [0.75, 0.5, 0.833333],
    "recall@3": [0.25, 0.0, 0.333333],
    "f1": [0.6, 0.333333, 0.769231],
    "f1@5": [0.444444, 0.285714, 0.545455],
    "r-precision": [0.5, 0.0, 0.666667],
    "mrr": [0.5, 0.25, 1.0],
    "mrr@3": [0.5, 0.0, 1.0],
    "map": [0.375, 0.125, 0.607937],
    "map@3": [0.125, 0.0, 0.277778],
    "dcg@5": [2.323466, 0.861353, 2.886853],
    "dcg_burges": [5.915806, 1.29203, 7.380303],
    "ndcg": [0.584662, 0.327395, 0.718215],
    "ndcg@5": [0.447463, 0.327395, 0.474859],
    "ndcg_burges@5": [0.493429, 0.35584, 0.346721],
    "bpref": [0.0, 0.0, 0.166667],
    "map@5-l2": [0.25, 0.25, 0.333333],
    "ndcg@5-l2": [0.444123, 0.430677, 0.380094],
    "ndcg_burges-l3": [0.63093, 0.0, 0.356207],
    "dcg@5-l2": [1.892789, 0.861353, 2.0],
    "recall@5-l2": [0.5, 1.0, 0.333333],
    "precision-l2": [0.333333, 0.25, 0.428571],
    "r-precision-l2": [0.5, 0.0, 0.333333],
    "mrr@3-l3": [0.5, 0.0, 0.0],
    "hits@6-l2": [2.0, 1.0, 2.0],
    "f1-l2": [0.5, 0.4, 0.6],
    "bpref-l2": [0.25, 0.0, 0.333333],
    "hit_rate@3-l3": [1.0, 0.0, 0.0],
}
BEIR = {
    "NDCG@1": [0.0, 0.0, 0.66667],
    "NDCG@3": [0.39749, 0.0, 0.47512],
    "NDCG@5": [0.44746, 0.32739, 0.47486],
    "MAP@1": [0.0, 0.0, 0.16667],
    "MAP@3": [0.125, 0.0, 0.27778],
    "MAP@5": [0.25, 0.125, 0.37778],
    "Recall@1": [0.0, 0.0, 0.16667],
    "Recall@3": [0.25, 0.0, 0.33333],
    "Recall@5": [0.5, 0.5, 0.5],
    "P@1": [0.0, 0.0, 1.0],
    "P@3": [0.33333, 0.0, 0.66667],
    "P@5": [0.4, 0.2, 0.6],
    "MRR@1": [0.0, 0.0, 1.0],
    "MRR@3": [0.5, 0.0, 1.0],
    "MRR@5": [0.5, 0.25, 1.0],
    "R_cap@1": [0.0, 0.0, 1.0],
    "R_cap@3": [0.33333, 0.0, 0.66667],
    "R_cap@5": [0.5, 0.5, 0.6],
}
MTEB = {
    "ndcg_at_1": [0.0, 0.0, 0.66667],
    "ndcg_at_3": [0.39749, 0.0, 0.47512],
    "ndcg_at_5": [0.44746, 0.32739, 0.47486],
    "map_at_1": [0.0, 0.0, 0.16667],
    "map_at_3": [0.125, 0.0, 0.27778],
    "map_at_5": [0.25, 0.125, 0.37778],
    "recall_at_1": [0.0, 0.0, 0.16667],
    "recall_at_3": [0.25, 0.0, 0.33333],
    "recall_at_5": [0.5, 0.5, 0.5],
    "precision_at_1": [0.0, 0.0, 1.0],
    "precision_at_3": [0.33333, 0.0, 0.66667],
    "precision_at_5": [0.4, 0.2, 0.6],
    "mrr_at_1": [0.0, 0.0, 1.0],
    "mrr_at_3": [0.5, 0.0, 1.0],
    "mrr_at_5": [0.5, 0.25, 1.0],
    "hit_rate_at_1": [0.0, 0.0, 1.0],
    "hit_rate_at_3": [1.0, 0.0, 1.0],
    "hit_rate_at_5": [1.0, 1.0, 1.0],
    "R_cap_at_1": [0.0, 0.0, 1.0],
    "R_cap_at_3": [0.33333, 0.0, 0.66667],
    "R_cap_at_5": [0.5, 0.5, 0.6],
}
SENTENCE_TRANSFORMERS = {
    "cosine_accuracy@1": [0.0, 0.0, 1.0],
    "cosine_accuracy@3": [1.0, 0.0, 1.0],
    "cosine_precision@3": [0.333333, 0.0, 0.666667],
    "cosine_precision@5": [0.4, 0.2, 0.6],
    "cosine_recall@3": [0.25, 0.0, 0.333333],
    "cosine_recall@5": [0.5, 0.5, 0.5],
    "cosine_ndcg@3": [0.296082, 0.0, 0.703918],
    "cosine_ndcg@5": [0.41443, 0.264068, 0.639945],
    "cosine_mrr@3": [0.5, 0.0, 1.0],
    "cosine_map@3": [0.166667, 0.0, 0.555556],
    "cosine_map@100": [0.375, 0.125, 0.607937],
}
TOOLS = {
    "ranx": RANX,
    "beir": BEIR,
    "mteb": MTEB,
    "sentence-transformers": SENTENCE_TRANSFORMERS,
}
PRINTED = [(tool, name) for tool, names in TOOLS.items() for name in names]


def scores(name: str) -> list[float]:
    """Of the three topics; the tools average a 0 where no document is relevant."""
    found = rankwise.score(rankwise.read(QRELS, {"run": RUN}, undefined="zero"), metrics=name)
    return [float(value) for value in found.value[0, 0]]


@pytest.mark.parametrize(("tool", "name"), PRINTED)
def test_the_name_of_a_tool_gives_its_numbers(tool: str, name: str) -> None:
    assert scores(name) == pytest.approx(TOOLS[tool][name], abs=0.5001e-5)


def test_the_tools_differ_where_their_names_do() -> None:
    """AP@k by R or by min(k, R), graded or binary nDCG: else these tests would show nothing."""
    assert RANX["map@3"] != SENTENCE_TRANSFORMERS["cosine_map@3"]
    assert RANX["ndcg@5"] != SENTENCE_TRANSFORMERS["cosine_ndcg@5"]
    assert RANX["ndcg@5"] != RANX["ndcg_burges@5"]
    assert RANX["ndcg@5"] != RANX["ndcg@5-l2"]


def test_what_is_called_otherwise_here_has_the_numbers_that_the_message_promises() -> None:
    """BEIR's Accuracy@k is Success@k, MTEB's accuracy is Recall@1."""
    assert scores("Success@3") == [1.0, 0.0, 1.0]  # BEIR's Accuracy@3
    assert scores("Recall@1") == pytest.approx([0.0, 0.0, 0.16667], abs=1e-5)  # MTEB's accuracy
    assert scores("Accuracy@3") != [1.0, 0.0, 1.0]


def test_beir_counts_as_a_hole_what_is_judged_for_no_topic() -> None:
    """Its Hole@5 is 0.26667: x and y, x, and z. e of topic 2 is judged for topic 1."""
    unjudged = scores("Unjudged@5")
    assert unjudged == pytest.approx([2 / 5, 2 / 5, 1 / 5])
    assert sum(unjudged) / 3 > 0.26667


def test_ranx_adds_up_grades_in_rbp() -> None:
    """Its rbp.95 of the three topics is 0.262747, 0.085738 and 0.375427."""
    ranks = {"1": {2: 3, 4: 1, 6: 2}, "2": {4: 2}, "3": {1: 2, 3: 1, 5: 1, 6: 3, 7: 2}}
    graded = [
        0.05 * sum(grade * 0.95 ** (rank - 1) for rank, grade in found.items())
        for found in ranks.values()
    ]
    assert graded == pytest.approx([0.262747, 0.085738, 0.375427], abs=1e-6)
    assert scores("RBP(p=0.95)") != pytest.approx(graded)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        *[("ndcg_p", "nDCG(b=2)"), ("ndcg_cut.10", "nDCG@10"), ("P.5", "P@5")],
        *[("Rprec_mult_1.20", "Rprec(mult=1.2)"), ("Rprec_mult.0.5", "Rprec(mult=0.5)")],
        *[("iprec_at_recall.0.10", "iprec_at_recall_0.1"), ("HitRate@5", "Success@5")],
        *[("top_k_accuracy@5", "Success@5"), ("top_k_acc@5", "Success@5")],
        *[("recall_cap@5", "RelP@5"), ("r_cap@5", "RelP@5"), ("NDCG_AT_10", "nDCG@10")],
        *[("dot-NDCG@10", "nDCG(rel=1)@10"), ("maxsim_map@100", "AP(norm=min)@100")],
        *[("AP@0010", "AP(norm=min)@10"), ("Q@0010", "Q(norm=min)@10")],
        *[("nDCG@0010", "nDCG(b=2)@10"), ("MSnDCG@1000", "nDCG@1000")],
        *[("nERR@0100", "nERR(stop=linear)@100"), ("Hit@0001", "Success@1")],
        *[("precision(rel=2)", "SetP(rel=2)"), ("precision(rel=2)@5", "P(rel=2)@5")],
        *[("AP@10-l1", "AP@10"), ("ndcg@10-l1", "nDCG@10"), ("RBP(p=0.5)-l2", "RBP(p=0.5,rel=2)")],
    ],
)
def test_a_name_of_another_tool_is_the_metric_it_stands_for(given: str, meant: str) -> None:
    assert parse(given) == parse(meant)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("accuracy@10", "sentence-transformers is Success@k; MTEB's accuracy is Recall@1"),
        ("ACCURACY@10", "accuracy has several meanings"),
        ("accuracy", "'accuracy' is not a metric of rankwise: accuracy has several meanings"),
        ("acc@1", "Use one of these names."),
        *[(name, "Write Unjudged@k.") for name in ("Hole@10", "holes@10", "Hole_at_10")],
        ("coverage@10", "Judged@k is the fraction of the first k documents that are judged"),
        (
            "nauc_ndcg_at_10_max",
            "It is a number of the whole run, and metrics of rankwise score one topic",
        ),
        (
            "nAUC_map_at_3_std",
            "It is a number of the whole run, and metrics of rankwise score one topic",
        ),
        ("max_over_subqueries_ndcg_at_10", "merges the rankings of several topics before"),
        *[(name, "score one topic") for name in ("p-MRR", "paired_accuracy", "robustness_at_10")],
        *[
            (name, "uses the grades themselves as gains")
            for name in ("rbp.95", "rbp@95", "rbp.9-l2")
        ],
        ("r-precision@5", "Write Rprec, or Rprec@k if documents below rank k must not count."),
        ("RBP@0010", "NTCIREVAL's RBP divides each gain by the largest gain."),
        ("gm_map", "mean of AP over topics. Use `score(…, 'AP', mean='geometric')`"),
        ("ndcg_cut", "nDCG at nine cutoffs. Write nDCG@10, or ndcg_cut_10."),
        ("Rprec_mult", "Rprec at ten multiples of R. Write Rprec(mult=1.2), or Rprec_mult_1.2."),
    ],
)
def test_a_name_that_means_another_formula_says_what_to_write(given: str, said: str) -> None:
    with pytest.raises(UnknownMetric) as error:
        parse(given)
    assert said in str(error.value)


NOVELTY = [
    *[
        "alpha_DCG",
        "alpha_nDCG",
        "α_DCG",
        "α_nDCG",
        "ERR_IA",
        "nERR_IA",
        "AP_IA",
        "MAP_IA",
        "P_IA@5",
    ],
    *["NRBP", "nNRBP", "StRecall@5"],
    *["alpha-DCG@5", "alpha-nDCG@5", "ERR-IA@5", "nERR-IA@5", "MAP-IA", "P-IA@5", "strec@5"],
]


@pytest.mark.parametrize("name", NOVELTY)
def test_metrics_of_novelty_are_known_by_name(name: str) -> None:
    assert parse(name).uses_subtopics


@pytest.mark.parametrize("given", ["nrbp", "Nrbp(p=0.5)@5", "NRBP(p=0.8)", "NRBP@10"])
def test_nrbp_of_ir_measures_is_not_taken_for_ours(given: str) -> None:
    with pytest.raises(MetricError):
        parse(given)
    assert str(parse("NRBP")) == "NRBP"
    assert str(parse("nRBP")) == "nRBP(p=0.8)"


TREC_EVAL = [
    *["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"],
    *["recip_rank", "iprec_at_recall_0.10", "P_5", "relstring", "recall_5", "infAP", "gm_bpref"],
    *["Rprec_mult_0.20", "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"],
    *["ndcg_cut_5", "map_cut_5", "relative_P_5", "success_1", "set_P", "set_relative_P"],
    *["set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj_5"],
    *["yaap", "ideal_dcg", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_simp"],
    *["prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret"],
    *["prefs_avgjg_ret", "qrels_jg"],
]


def test_no_name_of_a_peer_is_read_with_other_letters() -> None:
    """A peer's name is one that we list as it is written there, or it is no metric here.

    With upper and lower case exchanged it could be another metric's name, as NRBP and nRBP.
    """
    from ir_measures import measures

    listed = {*REGISTRY, *ALIASES, *STANDS_FOR}
    names = [*TREC_EVAL, *NOVELTY, *measures.registry]
    read = 0
    for name in dict.fromkeys(names):
        written = name.partition("@")[0]
        shapes = {written, re.sub(r"\d+(\.\d+)?$", "#", written)}
        try:
            parse(name)
        except WrongParameter:  # the name is known, and wants a cutoff
            pass
        except UnknownMetric:
            assert not shapes & listed, name
            continue
        assert shapes & listed, name
        read += 1
    assert read > 60


def test_a_level_needs_a_metric_that_has_one() -> None:
    with pytest.raises(WrongParameter, match="'ERR-l2': ERR has no relevance threshold"):
        parse("ERR-l2")


# A metric in a sentence: RBP(p=0.95), Rprec@k, map_cut_100.
WRITTEN = re.compile(r"\w+\([\w=.,{}:]+\)(?:@[\d.]*\d)?|\w+@(?:[\d.]*\d|k\b)|\w+_\d[\d.]*\b")


def test_what_a_message_tells_to_write_works() -> None:
    reasons = {*NOT_HERE.values(), *NOT_HERE_FROM.values(), *NTCIREVAL_NOT_HERE.values()}
    named = {name for reason in reasons for name in WRITTEN.findall(reason)}
    advised = {name for name in named if name.partition("@")[0] not in NOT_HERE}
    assert named - advised == {"Hole@k", "accuracy@k"}  # the names that the messages are about
    for name in advised:
        parse(name.replace("@k", "@10"))
    assert len(advised) >= 14


def test_every_name_of_a_dialect_leads_to_a_metric() -> None:
    reached = set()
    for name, ours in STANDS_FOR.items():
        plain = name.removesuffix("@#").replace("#", "1")
        for at in ("", "@5"):
            if at and f"{plain}@#" in NOT_HERE:
                continue
            try:
                wanted = parse(ours.replace("#", "1") + at)
            except WrongParameter:  # it needs a cutoff, or takes none, or has one already
                continue
            assert parse(plain + at) == wanted
            reached.add(name)
    assert reached == set(STANDS_FOR)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_sentence_transformers_compares_by_any_similarity(similarity: str) -> None:
    for name in ("accuracy", "precision", "recall", "ndcg", "mrr", "map"):
        wanted = parse(f"cosine_{name}@5")
        assert parse(f"{similarity}_{name}@5") == parse(f"{similarity}-{name}@5") == wanted


def test_no_name_of_a_dialect_hides_one_of_ours() -> None:
    ours = {*REGISTRY, *ALIASES}
    assert not ours & {*STANDS_FOR, *NOT_HERE}
    assert {*NTCIREVAL} <= ours  # there the four digits tell whose name it is
