"""Runs and judgments, and their join: all steps before a metric is computed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.rankings.assumption import Possible, assumed, assumption_note
    from rankwise.rankings.batches import Stream
    from rankwise.rankings.collection import (
        Collection as Collection, JoinedRun, Needs, as_collection, read as read,
    )
    from rankwise.rankings.documents import (
        Retrieved, RowsByCode, UnjudgedOfRun, blocks_of_topics, ranking_of,
    )
    from rankwise.rankings.filters import (
        SHOWN, Selection, Taken, TopicGroups, about_judgments_left_out, clusters_of_topics,
        groups_of_topics, table_of_groups,
    )
    from rankwise.rankings.ideal import Ideal, undiscounted
    from rankwise.rankings.join import (
        about_incomplete, about_runs, about_self, about_tied, about_topics, check_depth,
        incomplete, judge_singles, rankings_of, read_judgments,
        topics_of, unjudged_of_runs,
    )
    from rankwise.rankings.join_run import (
        Join, JudgedRun, Origin, Piece, RunInPieces, pieces_of,
    )
    from rankwise.rankings.judged import (
        ROW_COLUMNS, JudgedRankings as JudgedRankings, TopicsOfRun, from_vectors,
    )
    from rankwise.rankings.judges import (
        Judges as Judges, check_several, holds_several, read_judges, scales_apart, stacked,
    )
    from rankwise.rankings.judgments import Judgments, topic_order
    from rankwise.rankings.judgments_by_topic import EVERY_GRADE, JudgmentsByTopic, with_every_grade
    from rankwise.rankings.lengths import Lengths
    from rankwise.rankings.loaders import (
        Loader, RunReading, distinct_names, opened, run_loaders, stem,
    )
    from rankwise.rankings.order import rank_rows
    from rankwise.rankings.preferences import PairCounts, pair_counts, preferences_of
    from rankwise.rankings.reading import (
        graded, read_qrels as read_qrels, read_rows, read_runs as read_runs,
    )
    from rankwise.rankings.rejudge import (
        Alternatives, Pools, Rejudged, Rows, add_missed, add_one_document,
        judge_one_at_a_time,
    )
    from rankwise.rankings.run import NamedRun, Qrels as Qrels, Run as Run, fingerprints
    from rankwise.rankings.subtopics import (
        BySubtopic, Subtopics as Subtopics, by_global_gain, grades_of,
    )
    from rankwise.rankings.types import (
        Frame, Gains, QrelsLike as QrelsLike, RunLike, RunsLike as RunsLike,
    )
    from rankwise.rankings.unjudged_runs import (
        GRADES_TOPIC, check_common_topics, rank_without_judgments,
    )
    from rankwise.rankings.writing import (
        convert as convert, converted, template, write_qrels as write_qrels,
        write_run as write_run, write_template as write_template,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
