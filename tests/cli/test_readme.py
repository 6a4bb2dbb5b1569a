"""The transcript in the README: every command runs, and says what it says there."""

import re
import shlex
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"

NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
SCORE = re.compile(r"(?:accuracy|F1|AUC) +([0-9.]+)")
IMPORTANCE = re.compile(r"[a-z ]+ +0\.[0-9]{4}")

pytestmark = pytest.mark.skipif(not README.exists(), reason="the README is not part of this installation")


def steps():
    """Return the commands of the transcript, each with the lines that follow it."""
    (block,) = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    first, *texts = re.split(r"^\$ slantwood ", block, flags=re.MULTILINE)
    assert first == ""
    return [(shlex.split(text.partition("\n")[0]), text.splitlines()[1:]) for text in texts]


def pattern(line):
    """Make a pattern of a line: numbers differ between machines, and so does what matters most."""
    if line == "...":
        return r"(?:.*\n)*"
    if IMPORTANCE.fullmatch(line):
        return r"[a-z ]+ +0\.[0-9]{4}\n"
    return NUMBER.sub("[0-9]+(?:[.][0-9]+)?", re.escape(line).replace(r"\.", ".")) + "\n"


def test_the_transcript_is_what_the_commands_say(run):
    commands = []
    for words, lines in steps():
        said = run(*words).output
        assert re.fullmatch("".join(map(pattern, lines)), said), (words, said)
        written, found = SCORE.findall("\n".join(lines)), SCORE.findall(said)
        assert [float(score) for score in found] == pytest.approx(
            [float(score) for score in written], abs=0.03
        )
        commands.append(words[0])
    assert commands == ["demo", "train", "predict", "evaluate", "inspect"]
