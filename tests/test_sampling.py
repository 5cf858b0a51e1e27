"""Four days try every case of the laws, each day other ones."""

import pytest
from sampling import header, is_sampled, quarter_of
from table import EXAMPLES

DAYS = ["2026-12-30", "2026-12-31", "2027-01-01", "2027-01-02"]


def test_four_days_try_every_case_once() -> None:
    tried = [[name for name in EXAMPLES if is_sampled(name, quarter_of(day))] for day in DAYS]
    assert all(len(cases) > len(EXAMPLES) / 8 for cases in tried)
    assert sorted(sum(tried, [])) == sorted(EXAMPLES)  # noqa: RUF017
    assert all(is_sampled(name, quarter_of("all")) for name in EXAMPLES)


def test_a_date_repeats_its_sample_and_the_header_says_it() -> None:
    assert quarter_of(DAYS[0]) == quarter_of("2027-01-03")
    assert "RANKWISE_LAWS=2026-12-30 repeats" in header(DAYS[0])


def test_what_is_no_date_is_refused() -> None:
    with pytest.raises(ValueError, match="Set it to 'all', or to a date"):
        quarter_of("some")
