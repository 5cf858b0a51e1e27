"""Tests of metrics, by exhaustive search, for Moffat's seven numeric properties and for SWAP.

docs/properties.md defines the properties.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.experiments.properties.search import PROPERTIES as PROPERTIES, SEVEN as SEVEN
    from rankwise.experiments.properties.table import (
        NOTES as NOTES,
        Properties as Properties,
        properties as properties,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
