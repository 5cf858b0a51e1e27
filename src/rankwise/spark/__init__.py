"""The same functions on Apache Spark: where one machine ends.

    scores = rankwise.spark.score(qrels, runs, ["nDCG@10", "AP"], bounds=True)
    scores.write.partitionBy("run", "metric").parquet("scores")
    rankwise.spark.summary(scores)

Rows are brought together by topic, in one shuffle. Each part of the topics is then scored by
`rankwise.score` itself, in one call, which reads its rows as a stream of Arrow batches; so
neither a topic of millions of documents nor a hundred thousand tiny ones is a special case.
Judgments that are few travel to every executor; many go through the shuffle with the runs.

Some metrics look at the whole collection, as for the highest grade in the qrels. So to every
part one more topic is added, in which each grade of the qrels occurs and which every run
answers. It is left out of the result, and every number is the one that `rankwise.score` gives.
"""

from rankwise.errors import CallError

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ModuleNotFoundError as error:
    raise CallError(f"rankwise.spark needs {error.name}: pip install pyspark pyarrow.") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.spark.failures import said_by_spark as said_by_spark
    from rankwise.spark.means import summary as summary
    from rankwise.spark.reading import read_runs as read_runs, session as session
    from rankwise.spark.verbs import (
        collect as collect,
        compare as compare,
        dropped as dropped,
        score as score,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
