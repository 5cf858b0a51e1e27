"""Predicted scores under a deeper pool of the same runs."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.probable.documents import Documents as Documents, pool_of as pool_of
    from rankwise.probable.effects import Effects as Effects, effects_of as effects_of
    from rankwise.probable.model import Draws as Draws, draw_scores as draw_scores
    from rankwise.probable.prediction import (
        HELD as HELD,
        PAIRS_HELD as PAIRS_HELD,
        RESAMPLES as RESAMPLES,
        Prediction as Prediction,
        check_predictable as check_predictable,
        is_predictable as is_predictable,
        predict as predict,
        predict_judged as predict_judged,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
