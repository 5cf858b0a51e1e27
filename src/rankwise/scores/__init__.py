"""From judged rankings to numbers.

table.py            Scores, run × topic × metric, and `score`, which makes it
evaluation.py       what one metric says of rankings, checked
confidence.py       how sure a mean is: intervals over topics, and bounds beside them
standardisation.py  scores against reference runs, topic by topic
layout.py           the table of `rankwise score`
explanation.py      what each document contributes to one score
given.py            scores that were made elsewhere
"""
