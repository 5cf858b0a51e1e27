"""Paired comparison of runs: tests, corrections, leaderboards, effects of unjudged documents."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.comparison.across_collections import (
        SHOWN as SHOWN,
        AcrossCollections as AcrossCollections,
        compare_collections as compare_collections,
    )
    from rankwise.comparison.comparing import (
        compare as compare,
        compare_judged as compare_judged,
        compare_scored as compare_scored,
        test_options as test_options,
    )
    from rankwise.comparison.comparison import Comparison as Comparison
    from rankwise.comparison.comparison_tables import RANK_SETS as RANK_SETS
    from rankwise.comparison.options import (
        FAMILYWISE as FAMILYWISE,
        REPEATS as REPEATS,
        TestOptions as TestOptions,
    )
    from rankwise.comparison.pairs import FEW_TOPICS as FEW_TOPICS, choose_pairs as choose_pairs
    from rankwise.comparison.sentences import (
        closing_sentences as closing_sentences,
        first_places as first_places,
        sentence_lines as sentence_lines,
        sentences_of_pairs as sentences_of_pairs,
    )
    from rankwise.comparison.sweep import Sweep as Sweep
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
