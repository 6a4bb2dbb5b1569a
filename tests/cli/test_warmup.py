"""Claims about `slantwood warmup`."""

import re
from pathlib import Path


def test_it_says_how_long_it_took_and_where_the_code_is(run):
    result = run("warmup")
    assert result.stdout == ""
    match = re.search(r"after [0-9.]+ s; their machine code is in (.+)\.$", result.stderr)
    assert Path(match[1]).is_dir()
