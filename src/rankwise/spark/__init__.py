"""`score`, `compare` and related functions on Apache Spark, for data too large for one machine.

    scores = rankwise.spark.score(qrels, runs, ["nDCG@10", "AP"], bounds=True)
    scores.write.partitionBy("run", "metric").parquet("scores")
    rankwise.spark.summary(scores)

Rows are partitioned by topic, in one shuffle. Each partition is then scored by the code of
`rankwise.score`, which reads the rows as a stream of Arrow batches. A topic of millions of
documents and a hundred thousand small topics are therefore handled in the same way. Small judgments
are broadcast to every executor; large judgments go through the shuffle with the runs.

Some metrics depend on the whole collection, for example on the highest grade in the qrels. Every
partition therefore gets an artificial topic with each grade of the qrels, and a ranking of every
run for it. This topic is excluded from the result. The scores equal those of `rankwise.score`.
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
    from rankwise.spark.gathering import summary as summary
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
