"""The seven numeric properties of metrics, and SWAP, decided by exhaustive search."""

from rankwise.experiments.properties.changes import Answer
from rankwise.experiments.properties.rankings import Case
from rankwise.experiments.properties.search import PROPERTIES, SEVEN
from rankwise.experiments.properties.table import Properties, Row, properties

__all__ = ["PROPERTIES", "SEVEN", "Answer", "Case", "Properties", "Row", "properties"]
