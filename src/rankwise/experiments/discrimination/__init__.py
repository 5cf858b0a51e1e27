"""Discriminative power of metrics: bootstrap sensitivity, swap rates, significance tests."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.experiments.discrimination.discrimination import (
        SWAPS as SWAPS,
        Discrimination as Discrimination,
        Experiment as Experiment,
        by_kind as by_kind,
        crossed as crossed,
        discriminate as discriminate,
        in_tables as in_tables,
        tau_with_first as tau_with_first,
    )
    from rankwise.experiments.discrimination.swap import COIN as COIN
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
