"""Runs and judgments, and their join: all steps before a metric is computed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.rankings.assumption import (
        Possible as Possible,
        assumed as assumed,
        assumption_note as assumption_note,
    )
    from rankwise.rankings.batches import Stream as Stream
    from rankwise.rankings.collection import (
        Collection as Collection,
        JoinedRun as JoinedRun,
        Needs as Needs,
        as_collection as as_collection,
        read as read,
    )
    from rankwise.rankings.documents import (
        Retrieved as Retrieved,
        RowsByCode as RowsByCode,
        UnjudgedOfRun as UnjudgedOfRun,
        blocks_of_topics as blocks_of_topics,
        ranking_of as ranking_of,
    )
    from rankwise.rankings.filters import (
        SHOWN as SHOWN,
        Selection as Selection,
        Taken as Taken,
        TopicGroups as TopicGroups,
        about_judgments_left_out as about_judgments_left_out,
        clusters_of_topics as clusters_of_topics,
        groups_of_topics as groups_of_topics,
        table_of_groups as table_of_groups,
    )
    from rankwise.rankings.ideal import Ideal as Ideal, undiscounted as undiscounted
    from rankwise.rankings.join import (
        about_incomplete as about_incomplete,
        about_runs as about_runs,
        about_self as about_self,
        about_tied as about_tied,
        about_topics as about_topics,
        check_depth as check_depth,
        incomplete as incomplete,
        judge as judge,
        judge_loaded as judge_loaded,
        judge_singles as judge_singles,
        rankings_of as rankings_of,
        read_judgments as read_judgments,
        topics_of as topics_of,
        unjudged_of_runs as unjudged_of_runs,
    )
    from rankwise.rankings.join_run import (
        JudgedRun as JudgedRun,
        Origin as Origin,
        Piece as Piece,
        RunInPieces as RunInPieces,
        judge_run as judge_run,
        pieces_of as pieces_of,
    )
    from rankwise.rankings.judged import (
        ROW_COLUMNS as ROW_COLUMNS,
        JudgedRankings as JudgedRankings,
        TopicsOfRun as TopicsOfRun,
        from_vectors as from_vectors,
    )
    from rankwise.rankings.judges import (
        Judges as Judges,
        check_several as check_several,
        holds_several as holds_several,
        read_judges as read_judges,
        scales_apart as scales_apart,
        stacked as stacked,
    )
    from rankwise.rankings.judgments import Judgments as Judgments, topic_order as topic_order
    from rankwise.rankings.judgments_by_topic import (
        EVERY_GRADE as EVERY_GRADE,
        JudgmentsByTopic as JudgmentsByTopic,
        with_every_grade as with_every_grade,
    )
    from rankwise.rankings.lengths import Lengths as Lengths
    from rankwise.rankings.loaders import (
        WHOLE as WHOLE,
        Loader as Loader,
        distinct_names as distinct_names,
        opened as opened,
        run_loaders as run_loaders,
        stem as stem,
    )
    from rankwise.rankings.order import rank_rows as rank_rows
    from rankwise.rankings.preferences import (
        PairCounts as PairCounts,
        pair_counts as pair_counts,
        preferences_of as preferences_of,
    )
    from rankwise.rankings.reading import (
        graded as graded,
        read_qrels as read_qrels,
        read_rows as read_rows,
        read_runs as read_runs,
    )
    from rankwise.rankings.rejudge import (
        Alternatives as Alternatives,
        Pools as Pools,
        Rejudged as Rejudged,
        Rows as Rows,
        judge_one_at_a_time as judge_one_at_a_time,
    )
    from rankwise.rankings.run import (
        NamedRun as NamedRun,
        Qrels as Qrels,
        Run as Run,
        fingerprints as fingerprints,
    )
    from rankwise.rankings.subtopics import (
        BySubtopic as BySubtopic,
        Subtopics as Subtopics,
        by_global_gain as by_global_gain,
        grades_of as grades_of,
    )
    from rankwise.rankings.types import (
        Frame as Frame,
        Gains as Gains,
        QrelsLike as QrelsLike,
        RunLike as RunLike,
        RunsLike as RunsLike,
    )
    from rankwise.rankings.unjudged_runs import (
        GRADES_TOPIC as GRADES_TOPIC,
        check_common_topics as check_common_topics,
        rank_without_judgments as rank_without_judgments,
    )
    from rankwise.rankings.writing import (
        convert as convert,
        converted as converted,
        template as template,
        write_qrels as write_qrels,
        write_run as write_run,
        write_template as write_template,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
