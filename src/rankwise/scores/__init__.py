"""From judged rankings to numbers.

table.py            Scores, run × topic × metric
scoring.py          `score`, which makes it
batches.py          runs scored a few at a time
streams.py          streams scored piece by piece
evaluation.py       what one metric says of rankings, checked
confidence.py       how sure a mean is: intervals over topics, and bounds beside them
standardisation.py  scores against reference runs, topic by topic
layout.py           the table of `rankwise score`
explanation.py      what each document contributes to one score
parquet.py          scores as parquet, there and back
distance.py         how far scores are from the judgments they estimate
given.py            scores that were made elsewhere
"""
