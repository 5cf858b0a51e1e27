"""How commands that do not score read judgments and runs."""

import click

order_option = click.option(
    "--order",
    type=click.Choice(["score", "rank", "file"]),
    default="score",
    show_default=True,
    help="What orders a ranking. Equal scores are ordered by document name, descending.",
)
lenient_option = click.option(
    "--lenient", is_flag=True, help="Drop bad lines and repeated documents; say so."
)
rel_option = click.option(
    "--rel",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="The least grade that counts as relevant.",
)
seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Where chance starts."
)
