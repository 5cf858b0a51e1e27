"""Discriminative power of metrics: bootstrap sensitivity, swap rates, error rates, tests."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.experiments.discrimination.discrimination import (
        Discrimination as Discrimination,
        discriminate as discriminate,
    )
    from rankwise.experiments.discrimination.discrimination_tables import (
        by_kind as by_kind,
        in_tables as in_tables,
    )
    from rankwise.experiments.discrimination.extrapolation import COIN as COIN
    from rankwise.experiments.discrimination.gain_settings import (
        crossed as crossed,
        tau_with_first as tau_with_first,
    )
    from rankwise.experiments.discrimination.methods import SWAPS as SWAPS, Experiment as Experiment
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
