"""A hook of mkdocs: words that readers search for, and the page that the search finds first.

They become tags of the page. The search ranks a tag above a title, and a title above the text.
The tags of a metric are its name, its names in other tools, and the words below.
"""

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from make_metrics_page import in_order

from rankwise.metrics import Metric
from rankwise.metrics.descriptions import aliases

# Pages about the code, and evidence, come after tasks.
BOOSTS = {
    "api.md": 0.3,
    "architecture.md": 0.01,
    "decisions.md": 0.0005,
    "guarantees.md": 0.01,
    "papers.md": 0.001,
    "releasing.md": 0.01,
}
CUTOFF = re.compile(r"[_.@]?#")
FROM_EMBEDDINGS = "cosine_"  # names of sentence-transformers, which nobody searches for

METRICS = {
    "AP": "average precision",
    "RR": "reciprocal rank mean",
    "Success": "hit rate hits success",
    "RBPResidual": "residual",
    "SetF": "F-measure F-score",
    "alpha_nDCG": "α-nDCG alpha-nDCG",
    "Q": "Q-measure",
    "Bpref": "binary preference",
}
PAGES = {
    "adding-a-metric.md": "custom own plugin metric",
    "api.md": "API reference functions",
    "bounds.md": "bounds tight",
    "cheap.md": "PPI inference cheap expert labels",
    "choosing-a-metric.md": "choose which metric user model discriminative",
    "ci.md": "CI continuous integration GitHub action GitLab Jenkins Docker pre-commit",
    "designing.md": "power sample size number topics topic-set infNDCG xinfAP statAP sampling",
    "diff.md": "RBO overlap Jaccard churn reproducibility quantised index diff",
    "diversity.md": "diversity subtopics intents novelty",
    "engines.md": "Elasticsearch OpenSearch Solr Vespa Quepid engine",
    "formats.md": "CSV TSV JSON parquet Arrow gzip LETOR qrels run file format columns read",
    "gallery.md": "chart charts plot figure picture svg graph",
    "gate.md": "gate nightly regression threshold non-inferiority exit code",
    "glossary.md": "glossary term definition",
    "index.md": "pip",
    "inversion.md": "published invert",
    "judges.md": "kappa agreement judge judges assessor assessors annotator inter-annotator alpha "
    "Krippendorff",
    "machine-readable.md": "JSON schema machine",
    "metrics.md": "metrics catalogue list",
    "notebook.md": "notebook Jupyter IPython Colab",
    "paper-table.md": "LaTeX table paper booktabs markdown",
    "partly-judged.md": "unjudged holes incomplete missing judgments bounds Judged@10",
    "planning.md": "active",
    "plugins.md": "plug-in plugin entry point",
    "preferences.md": "preference preferences pairwise side-by-side",
    "probable.md": "predict predicted prediction probable extrapolate",
    "quickstart.md": "quickstart start explain tutorial",
    "rag.md": "RAG LLM language model passages retrieval-augmented generation labels",
    "rag-answers.md": "RAG nuggets nugget answer answers",
    "report.md": "report HTML",
    "reproducing.md": "study papers reproduce replicate",
    "scale.md": "memory large billion",
    "scores-from-other-tools.md": "deepeval promptfoo inspect lm-eval harness CSV",
    "speed.md": "speed benchmark fast time",
    "stability.md": "versions deprecated semantic",
    "statistics.md": "significance significant p-value t-test paired test confidence interval "
    "effect size power Holm Bonferroni correction multiple comparisons Wilcoxon permutation "
    "bootstrap Bayesian seeds clusters weights Cohen",
    "tools/beir-mteb.md": "BEIR MTEB sentence-transformers",
    "tools/duckdb.md": "DuckDB SQL",
    "tools/ir_datasets.md": "ir_datasets irds",
    "tools/ir_measures.md": "ir_measures ir-measures",
    "tools/pandas-polars.md": "pandas polars dataframe frame",
    "tools/polars-streaming.md": "parquet streaming folder",
    "tools/pyterrier.md": "PyTerrier Terrier",
    "tools/pytrec_eval.md": "trec_eval pytrec_eval",
    "tools/ranx.md": "ranx",
    "tools/spark.md": "Spark PySpark Databricks cluster",
    "track.md": "pool pooling depth track TREC CLEF NTCIR assessors",
    "why-numbers-differ.md": "differ different tie ties tied",
}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    tags = tags_of(page.file.src_uri)
    if tags:
        page.meta["tags"] = tags
    if page.file.src_uri in BOOSTS:
        page.meta["search"] = {"boost": BOOSTS[page.file.src_uri]}
    return markdown


def tags_of(source: str) -> list[str]:
    metrics = {f"metrics/{metric.__name__}.md": metric for metric in in_order()}
    return names_of(metrics[source]) if source in metrics else PAGES.get(source, "").split()


def names_of(metric: type[Metric]) -> list[str]:
    """Return the names of a metric, without a cutoff, and the words that describe it."""
    name = metric.__name__
    names = [name, *(CUTOFF.sub("", alias) for alias in aliases(metric))]
    names = [each for each in names if not each.startswith(FROM_EMBEDDINGS)]
    return list(dict.fromkeys([*names, *METRICS.get(name, "").split()]))
