"""Sizes and durations as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.text.units import (
    parse_duration,
    parse_rate,
    parse_size,
    show_seconds,
    show_size,
    write_duration,
    write_size,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("4096", 4096),
        ("1K", 1 << 10),
        ("1KiB", 1 << 10),
        ("1KB", 1000),
        ("1kb", 1000),
        ("512M", 512 << 20),
        ("1GB", 10**9),
        ("1GiB", 1 << 30),
        ("1G", 1 << 30),
        ("1.5 GB", 1_500_000_000),
        ("2T", 2 << 40),
        (7, 7),
    ],
)
def test_a_size_is_what_coreutils_says(text: str | int, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    ["", "-1", "0", "0.1", "1X", "GB", "1 GB GB", "1e9", "0x10", "nan", "1,5G", "9" * 400, f"{1 << 63}"],
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


@given(st.integers(1, 10**6), st.sampled_from(["", "K", "M", "G", "T"]), st.sampled_from(["", "iB"]))
def test_binary_units_are_powers_of_1024(number: int, prefix: str, suffix: str) -> None:
    factor = 1024 ** ["", "K", "M", "G", "T"].index(prefix)
    text = f"{number}{prefix}{suffix if prefix else ''}"
    assert parse_size(text) == pytest.approx(number * factor, rel=1e-12)


@given(st.integers(1, 10**18))
def test_a_shown_size_reads_back_within_its_digits(size: int) -> None:
    assert parse_size(show_size(size)) == pytest.approx(size, rel=0.006)


@pytest.mark.parametrize(
    ("text", "seconds"), [("500ms", 0.5), ("30s", 30), ("2m", 120), ("1h", 3600), ("30", 30), (2.5, 2.5)]
)
def test_a_duration(text: str | float, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "-1s", "1w", "s", "1 2", "inf", "9" * 400, "100001d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"), [(12.34, "12.3 s"), (65, "1 min 05 s"), (7380, "2 h 03 min"), (59.99, "60.0 s")]
)
def test_seconds_are_shown_in_the_unit_people_use(seconds: float, text: str) -> None:
    assert show_seconds(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (999_999, "1 MB"), (65536, "65.5 kB"), (10**16, "10000 TB")],
)
def test_a_shown_size_has_three_digits_and_no_exponent(size: int, text: str) -> None:
    assert show_size(size) == text


def test_rates_are_bits_per_second() -> None:
    assert (parse_rate("50mbit"), parse_rate("10gbit")) == (5e7, 1e10)
    with pytest.raises(ValueError, match="250mbit or 1gbit"):
        parse_rate("1 GB/s")
    with pytest.raises(ValueError, match="more than any link has"):
        parse_rate(f"{'9' * 400}gbit")


@given(st.integers(1, 1 << 50), st.integers(1, 10**9))
def test_what_is_written_is_read_as_the_same(size: int, milliseconds: int) -> None:
    assert parse_size(write_size(size)) == size
    assert parse_duration(write_duration(milliseconds / 1000)) == pytest.approx(milliseconds / 1000)


def test_the_largest_unit_without_a_rest_is_written() -> None:
    assert [write_size(size) for size in (1 << 30, 64 << 20, 10**6)] == ["1G", "64M", "1000000"]
    assert [write_duration(seconds) for seconds in (3600, 90, 120, 0.5)] == ["1h", "90s", "2m", "0.5s"]
