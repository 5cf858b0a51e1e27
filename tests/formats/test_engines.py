"""Files of search engines and evaluation suites, in tests/formats/made."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankwise
from rankwise import InputError, Judges, parse, read_qrels, read_runs, score

MADE = Path(__file__).parent / "made"
SHOP = [("metal frame", "B1", 3), ("metal frame", "007", 0), ("blue jeans", "B2", 2)]
BASELINE = [("metal frame", "B1"), ("metal frame", "B9"), ("blue jeans", "B9")]
TOY = {"q1": {"d1": 1}, "q2": {"d2": 1, "007": 1}}  # the judgments of the made-up MTEB task


@pytest.mark.parametrize(
    "file",
    [
        *["elasticsearch/request.json", "quepid/ratings.json", "quepid/shop_case.json"],
        *["quepid/shop_rre.json", "quepid/shop_ltr.txt"],
    ],
)
def test_judgments_are_read(file: str) -> None:
    assert read_qrels(MADE / file).frame.rows() == SHOP


def test_what_has_no_rating_is_not_judged() -> None:
    basic = read_qrels(MADE / "quepid/shop_basic.csv")
    # Quepid writes a blank before what a spreadsheet would take for a formula.
    assert basic.frame.rows() == [*SHOP, ("-on sale", "B1", 1)]
    said = f"{MADE}/quepid/shop_basic.csv: 2 rows have no rating; documents "
    said += "without a rating count as unjudged"
    assert list(map(str, basic.notes)) == [said]
    assert read_qrels(MADE / "quepid/shop_detailed.csv").frame.rows() == SHOP[:1]
    assert read_qrels(MADE / "elasticsearch/response.json").frame.rows() == SHOP[:2]


def test_a_book_of_quepid_has_a_column_for_each_judge() -> None:
    """Quepid's Api::V1::BooksController: query, docid, then the names of the judges."""
    by_judge = rankwise.rankings.read_judges(MADE / "quepid/shop_book.csv")
    assert by_judge["Ann Lee"].frame.rows() == SHOP
    assert by_judge["Bob"].frame.rows() == [
        ("metal frame", "B1", 2),
        ("blue jeans", "B2", 2),
        ("-on sale", "B1", 1),
    ]
    with pytest.raises(InputError, match="judges disagree on 1 document,"):
        read_qrels(MADE / "quepid/shop_book.csv")
    both = Judges(str(MADE / "quepid/shop_book.csv"), "max")
    assert read_qrels(both).frame.rows() == [*SHOP, ("-on sale", "B1", 1)]
    with pytest.raises(InputError, match="book has judgments, and cannot be read as a run"):
        read_runs(MADE / "quepid/shop_book.csv")


def test_an_export_of_doccano_is_the_labels_of_one_judge() -> None:
    ann = read_qrels(MADE / "doccano/ann.jsonl")
    assert ann.frame.rows() == SHOP
    assert "1 text has no label; documents without a label count as unjudged" in str(ann.notes[0])
    files = [str(MADE / f"doccano/{name}.jsonl") for name in ("ann", "bob")]
    found = rankwise.agree(files)
    assert found.judges == ("ann", "bob") and found.labels.common.sum() == 3


@pytest.mark.parametrize(
    ("label", "what"),
    [('["good"]', "label 'good' is not a grade"), ('["1", "2"]', "2 labels")],
)
def test_labels_of_doccano_that_are_no_grades(tmp_path: Path, label: str, what: str) -> None:
    file = tmp_path / "ann.jsonl"
    line = '{"id": 1, "text": "t", "topic": "1", "document": "a", "label": ["2"]}\n'
    file.write_text(line + line.replace('["2"]', label).replace('"a"', '"b"'))
    with pytest.raises(InputError, match=what):
        read_qrels(file)
    assert read_qrels(file, lenient=True).frame.height == 1


def test_ratings_that_are_text_and_fractions_are_their_own_gains() -> None:
    qrels = read_qrels(MADE / "opensearch/judgments.json")
    assert qrels.frame.rows() == [
        ("metal frame", "B1", 1),
        ("metal frame", "007", 0),
        ("blue jeans", "B2", 2),
    ]
    assert qrels.gains == {0: 0, 1: 0.7, 2: 1}
    assert read_qrels(MADE / "opensearch/fetched.json").frame.rows() == SHOP[:2]


def test_a_group_of_queries_shares_its_relevant_documents() -> None:
    qrels = read_qrels(MADE / "quepid/groups_rre.json")
    assert qrels.frame.rows() == [
        *SHOP[:2],
        ("frame of metal", "B1", 3),
        ("frame of metal", "007", 0),
    ]


def test_labelled_data_of_vespa_counts_a_document_without_a_score_as_1() -> None:
    qrels = read_qrels(MADE / "vespa/labelled.json")
    assert qrels.frame.rows() == [("0", "B1", 3), ("0", "7", 1), ("1", "B2", 2)]


def test_runs_are_read_with_their_scores() -> None:
    [run] = read_runs(MADE / "elasticsearch/response.json")
    assert run.name == "response"
    assert run.frame["score"].to_list() == [2.5, 1.25, 0.5, 0.75]
    [run] = read_runs(MADE / "elasticsearch/msearch.json")
    assert run.frame.rows() == [("1", "B1", 2.5), ("1", "007", 0.5), ("2", "B9", 0.75)]
    assert str(run.notes[0]).endswith("does not name its topics; the topics are named 1, 2, 3 …")


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("quepid/shop_snapshot.csv", "Snapshot: Baseline"),
        ("quepid/snapshot.json", "Baseline"),
    ],
)
def test_snapshots_are_runs_by_position(file: str, name: str) -> None:
    [run] = read_runs(MADE / file)
    assert run.name == name
    ordered = run.frame.sort("score", descending=True, maintain_order=True)
    assert (
        ordered.sort("topic", descending=True, maintain_order=True)
        .select("topic", "document")
        .rows()
        == BASELINE
    )


def test_hits_that_are_sorted_by_a_field_keep_their_order() -> None:
    [run] = read_runs(MADE / "elasticsearch/sorted.json")
    assert run.frame.sort("score", descending=True)["document"].to_list() == ["B1", "Z", "A"]


def test_hits_whose_scores_do_not_fall_keep_their_order() -> None:
    hits = [{"_id": "a", "_score": 1.0}, {"_id": "b", "_score": 2.0}]
    [run] = read_runs({"hits": {"hits": hits}})
    assert run.frame.sort("score", descending=True)["document"].to_list() == ["a", "b"]


def test_an_experiment_of_opensearch_holds_a_run_for_each_configuration() -> None:
    runs = read_runs(MADE / "opensearch/pairwise.json")
    assert [run.name for run in runs] == ["baseline", "challenger"]
    assert [run.frame["document"].to_list() for run in runs] == [["B1", "007"], ["B9", "B1"]]
    [run] = read_runs(MADE / "opensearch/evaluations.json")
    assert run.frame["topic"].to_list() == ["metal frame", "metal frame", "blue jeans"]


def test_python_objects_of_the_same_shape_are_read_like_files() -> None:
    for file in ["elasticsearch/request.json", "quepid/ratings.json", "vespa/labelled.json"]:
        found = json.loads((MADE / file).read_text())
        assert read_qrels(found).frame.equals(read_qrels(MADE / file).frame), file
    response = json.loads((MADE / "elasticsearch/search.json").read_text())
    [run] = read_runs({"metal frame": response, "blue jeans": response})
    assert run.frame["topic"].unique(maintain_order=True).to_list() == ["metal frame", "blue jeans"]
    [one] = read_runs(response)
    assert one.frame.height == 2


def test_scores_of_mtebs_predictions_are_mtebs_results() -> None:
    """Both files were written by one run of MTEB, which rounds to five decimals."""
    result = MADE / "mteb/results/mteb__baseline-random-encoder/2/ToyRetrieval.json"
    [printed] = json.loads(result.read_text())["scores"]["test"]
    theirs = {
        f"{name}_at_{k}": f"{ours}@{k}"
        for name, ours in {"ndcg": "nDCG", "map": "AP", "recall": "R", "precision": "P"}.items()
        for k in (1, 3, 10)
    }
    scores = score(TOY, MADE / "mteb/ToyRetrieval_predictions.json", list(theirs.values()))
    assert scores.runs == ("mteb/baseline-random-encoder",)
    found = {str(parse(name)): scores.pivot()[name][0] for name in scores.pivot().columns[1:13]}
    for name, ours in theirs.items():
        assert found[str(parse(ours))] == pytest.approx(printed[name], abs=5e-6), name


def test_a_subset_and_a_split_are_chosen() -> None:
    file = MADE / "mteb/ToyMultilingualRetrieval_predictions.json"
    [german] = read_runs(file, subset="de", split="test")
    [english] = read_runs(file, subset="en", split="test")
    assert german.frame.height == 6 and english.frame.height == 8
    [given] = read_runs(json.loads(file.read_text()), subset="de", split="test")
    assert given.frame.equals(german.frame)
    [whole] = read_runs({"1": {"a": 1.0}}, subset="de")
    assert list(map(str, whole.notes)) == [
        "the run: has no subsets or splits, so all rows are read"
    ]


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ({}, "holds 2 subsets: en, de. Use `subset='en'` to choose one."),
        ({"subset": "de"}, "de holds 2 splits: dev, test. Use `split='dev'` to choose one."),
        ({"subset": "d"}, "has no subset 'd'; there are en, de. Did you mean de?"),
        ({"subset": "de", "split": "tst"}, "there are dev, test. Did you mean test?"),
    ],
)
def test_what_subset_is_meant_must_be_said(part: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError) as error:
        read_runs(MADE / "mteb/ToyMultilingualRetrieval_predictions.json", **part)
    assert what in str(error.value)


def test_predictions_of_sentence_transformers_are_a_run() -> None:
    [file] = (MADE / "sentence_transformers").glob("*.jsonl")
    [run] = read_runs(file)
    assert run.frame.rows()[2] == ("q1", "007", 0.40824827551841736)
    # What its evaluator printed for these judgments: precision@3 0.5556, ndcg@3 1.
    qrels = {"q1": {"d1": 1, "d4": 1}, "q2": {"d2": 1}, "q3": {"d3": 1, "d4": 1}}
    means = score(qrels, run, ["P@3", "nDCG@3"]).pivot()
    assert means.row(0)[1:3] == pytest.approx((0.5555555555555555, 1.0))
    with pytest.raises(InputError, match="cannot be read as judgments"):
        read_qrels(file)


@pytest.mark.parametrize(
    ("found", "what"),
    [
        ({"requests": [{"ratings": []}]}, "requests[0] has no field 'id'; its fields are ratings."),
        (
            {"requests": [{"id": "1", "ratings": [{"id": "a", "rating": 1}]}]},
            "requests[0].ratings[0] has no field '_id'; its fields are id, rating. "
            "Did you mean id?",
        ),
        (
            {"requests": [{"id": "1", "ratings": [{"_id": "a", "rating": "good"}]}]},
            "requests[0].ratings[0].rating is 'good' where a number is expected.",
        ),
        (
            {"requests": [{"id": "1", "ratings": [{"_id": 1.5, "rating": 1}]}]},
            "requests[0].ratings[0]._id is 1.5 where a name is expected.",
        ),
        (
            {"requests": [{"id": "1", "ratings": {"a": 1}}]},
            "requests[0].ratings is an object where a list is expected.",
        ),
        (
            {"judgmentRatings": [{"query": "q", "ratings": [None]}]},
            "judgmentRatings[0].ratings[0] is null where an object with fields is expected.",
        ),
        (
            {"hits": {"hits": [{"_source": {"judgmentRatings": [], "name": n}} for n in "ab"]}},
            "has 2 judgment lists: 'a', 'b'. Give a file with only one of them.",
        ),
        ({"hits": {"hits": []}}, "cannot be read as judgments: it has only a run."),
    ],
)
def test_what_is_wrong_with_a_document_is_said_with_its_place(found: Any, what: str) -> None:
    with pytest.raises(InputError) as error:
        read_qrels(found)
    assert what in str(error.value)


def test_a_search_that_failed_is_no_empty_ranking() -> None:
    responses = [{"hits": {"hits": []}}, {"error": {"type": "parsing_exception"}, "status": 400}]
    with pytest.raises(InputError, match=r"responses\[1\] is an error, not a result: .*parsing"):
        read_runs({"took": 1, "responses": responses})


def test_a_line_of_ltr_that_is_none_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "ltr.txt"
    file.write_text("3 qid:1 # 1370 star trek\ngood qid:1 # 1371 star trek\n")
    with pytest.raises(InputError, match=r"ltr\.txt:2: not a rated document: good qid:1"):
        read_qrels(file)


def test_records_that_are_no_table_are_no_traceback() -> None:
    rows = [{"query_id": "0", "text": True}, {"query_id": "1", "text": {"a": 1}}]
    with pytest.raises(InputError, match="values of different types under the same name"):
        read_runs(rows)
