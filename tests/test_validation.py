"""Claims about memory as people write it: `max_memory` and `slantwood plan --memory` take the same forms."""

import pytest
import typer

from slantwood.cli.quantities import read_bytes
from slantwood.validation import check_memory


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("4GB", 4 * 10**9),
        ("1.5 gib", 3 << 29),
        (" 200 MB ", 2 * 10**8),
        ("2KiB", 2048),
        (".5TB", 5 * 10**11),
        ("3.kB", 3000),
        ("1e3 MB", 10**9),
        ("64 kbytes", 64_000),
        ("1 byte", 1),
        ("7B", 7),
    ],
)
def test_memory_with_a_unit_is_read_alike_for_a_fit_and_for_a_plan(said, expected):
    assert check_memory("max_memory", said) == expected
    assert read_bytes(said) == expected


@pytest.mark.parametrize("said", [7, "7", " 7 "])
def test_a_number_alone_is_bytes_for_a_fit_and_refused_for_a_plan(said):
    assert check_memory("max_memory", said) == 7
    with pytest.raises(typer.BadParameter, match=r"7.* is no amount of memory; write a number and a unit"):
        read_bytes(said)


@pytest.mark.parametrize(
    "said",
    ["4 apples", "", "GB", ".GB", "4G", "4iB", "4 M B", "-1GB", "1e400GB", "0MB", 0, 1.5, True, None],
)
def test_what_is_no_memory_is_refused(said):
    with pytest.raises((TypeError, ValueError), match=r"max_memory=.*such as '4GB'"):
        check_memory("max_memory", said)
    with pytest.raises(typer.BadParameter, match="is no amount of memory; write a number and a unit: 16GB"):
        read_bytes(said)
