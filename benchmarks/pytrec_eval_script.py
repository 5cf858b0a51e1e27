"""What people write with pytrec_eval: file to means, printed. It is timed as a whole process."""

import sys

import pytrec_eval

MEASURES = {"map", "ndcg", "ndcg_cut_10", "P_10", "recip_rank", "bpref", "recall_100", "Rprec"}

with open(sys.argv[1]) as file:  # noqa: PTH123 as pytrec_eval's README does
    qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file:  # noqa: PTH123
    run = pytrec_eval.parse_run(file)
results = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
for measure in sorted(MEASURES):
    print(measure, sum(scores[measure] for scores in results.values()) / len(qrels))
