"""Experiments on metrics and on significance tests."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.experiments.calibration import Calibration as Calibration, calibrate as calibrate
    from rankwise.experiments.metric_choice import (
        MetricChoice as MetricChoice,
        which_metric as which_metric,
    )
    from rankwise.experiments.persistence import (
        fit_persistence as fit_persistence,
        fit_two_persistences as fit_two_persistences,
    )
    from rankwise.experiments.user_models import UserModel as UserModel, user_model as user_model
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
