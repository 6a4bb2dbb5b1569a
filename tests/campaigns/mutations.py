"""Ways to damage a file: what disks, editors, other programs and enemies do to it.

Every mutation takes random numbers, the bytes of a file and those of others, and returns other bytes.
"""

import io
import re
import zipfile
from collections.abc import Callable, Sequence

import numpy as np

Mutation = Callable[[np.random.Generator, bytes, Sequence[bytes]], bytes]

_LONGEST = 1 << 22  # of a mutated file: more would only slow the campaign down
_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_TOKENS = [
    *(
        b"NaN",
        b"nan",
        b"inf",
        b"-inf",
        b"Infinity",
        b"1e999",
        b"-1e999",
        b"1e-999",
        b"1e308",
        b"0x10",
        b"1_000",
    ),
    *(
        b"9" * 30,
        b"-" + b"9" * 20,
        b"4294967296",
        b"9223372036854775808",
        b"-1",
        b"1.5.2",
        b"60000000",
        b"--",
    ),
    *(
        b"'",
        b'"',
        b"''",
        b'"""',
        b"{",
        b"}",
        b"{}",
        b"{{",
        b"}}",
        b"[",
        b"]",
        b"<",
        b">",
        b"&",
        b"&amp;",
        b"\\",
    ),
    *(b",", b",,,", b";", b":", b"::", b"1:", b":1", b"1:1:1", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\n\n\n"),
    *(
        b"?",
        b"%",
        b"#",
        b"@",
        b"@data\n",
        b"@attribute x\n",
        b"@attribute x {a,b}\n",
        b"@relation",
        b"/",
        b"//",
    ),
    *(
        b"\x00",
        b"\xff",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\xe2\x80\xa8",
        b"\x1a",
        b"root/",
        b"hierarchical ",
    ),
    *(
        b"<!DOCTYPE x>",
        b"<label name='a'/>",
        b"</labels>",
        b"<label",
        b"-C 1000000",
        b"-C -1",
        b"string",
        b"date",
    ),
]
_EXTREME_NUMBERS = [
    *(
        b"0",
        b"-1",
        b"1",
        b"2147483647",
        b"2147483648",
        b"4294967295",
        b"4294967296",
        b"60000000",
        b"1000000000",
    ),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"9" * 40, b"1e18", b"1e400"),
    *(b"3e38", b"4e38", b"-4e38", b"1e-46", b"nan", b"inf", b"0.5", b"1.0", b"00001", b"+5", b"5."),
]
_EXTREME_WORDS = [0, 1, -1, 2**31 - 1, -(2**31), 2**32, 2**40, 2**62, 2**63 - 1, -(2**63), 255, 65535]


def flip_bytes(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Change bits of a few bytes."""
    changed = np.frombuffer(content, np.uint8).copy()
    if len(changed):
        places = rng.integers(len(changed), size=rng.integers(1, 9))
        changed[places] ^= rng.integers(1, 256, len(places)).astype(np.uint8)
    return changed.tobytes()


def cut(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Take a part away: the end, the beginning, or one between."""
    start, stop = _range_of(rng, content)
    kind = rng.integers(4)
    return (content[:start], content[stop:], content[:start] + content[stop:], content[start:stop])[kind]


def repeat(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Put a part there many times."""
    start, stop = _range_of(rng, content)
    times = int(rng.choice([2, 3, 10, 1000]))
    times = min(times, _LONGEST // max(1, stop - start))
    return content[:start] + content[start:stop] * times + content[stop:]


def insert_token(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Put something there that means something in one of the formats."""
    place = int(rng.integers(len(content) + 1))
    return content[:place] + _TOKENS[rng.integers(len(_TOKENS))] + content[place:]


def replace_cell(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Replace a cell by something else."""
    cells = list(re.finditer(rb"[^\s,;:{}]+", content[: 1 << 14]))
    if not cells:
        return content
    cell = cells[rng.integers(len(cells))]
    return content[: cell.start()] + _TOKENS[rng.integers(len(_TOKENS))] + content[cell.end() :]


def replace_number(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Replace a number by an extreme one, one at the beginning as often as one anywhere."""
    numbers = list(_NUMBER.finditer(content[: 1 << 14]))
    if not numbers:
        return content
    number = numbers[rng.integers(min(len(numbers), 5) if rng.random() < 0.5 else len(numbers))]
    return (
        content[: number.start()]
        + _EXTREME_NUMBERS[rng.integers(len(_EXTREME_NUMBERS))]
        + content[number.end() :]
    )


def overwrite_word(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Overwrite two, four or eight bytes, as a length or offset of a binary format, by an extreme number."""
    size = int(rng.choice([2, 4, 8]))
    if len(content) < size:
        return content
    place = int(rng.integers(len(content) - size + 1))
    if rng.random() < 0.7:
        place -= place % size
    value = _EXTREME_WORDS[rng.integers(len(_EXTREME_WORDS))] % (1 << (8 * size))
    return content[:place] + value.to_bytes(size, "little") + content[place + size :]


def mix_lines(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Drop, double, swap or join lines."""
    lines = content.split(b"\n")
    i, j = rng.integers(len(lines), size=2)
    kind = rng.integers(4)
    if kind == 0:
        del lines[i]
    elif kind == 1:
        lines.insert(j, lines[i])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i : i + 2] = [b"".join(lines[i : i + 2])]
    return b"\n".join(lines)


def lengthen_a_line(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Put a very long run of one thing somewhere."""
    place = int(rng.integers(len(content) + 1))
    what = (b"x", b"9", b"0", b"1,", b"'", b"{", b" ", b"\n", b"1:1 ", b"a/", b"\x00")[rng.integers(11)]
    times = int(10 ** rng.uniform(3, 6)) // len(what)
    return content[:place] + what * times + content[place:]


def splice(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Go on as another file does, or be another file altogether."""
    other = others[rng.integers(len(others))]
    if rng.random() < 0.2:
        return other
    start, _ = _range_of(rng, content)
    begin, stop = _range_of(rng, other)
    return content[:start] + (other[begin:] if rng.random() < 0.5 else other[begin:stop] + content[start:])


def inside_archive(rng: np.random.Generator, content: bytes, others: Sequence[bytes]) -> bytes:
    """Damage, drop, rename or double a member of a zip file, whose checksums are right again afterwards."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except (zipfile.BadZipFile, OSError, ValueError, KeyError, NotImplementedError, RuntimeError, EOFError):
        return content
    except Exception:  # of decompression, which has many
        return content
    if not members:
        return content
    i = int(rng.integers(len(members)))
    name, array = members[i]
    kind = rng.integers(6)
    if kind == 0:
        del members[i]
    elif kind == 1:
        members[i] = (members[rng.integers(len(members))][0], array)
    else:
        change = (flip_bytes, replace_number, overwrite_word, cut)[kind - 2]
        members[i] = (name, change(rng, array, others))
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in dict(members).items():
            archive.writestr(name, array)
    return result.getvalue()


ANYWHERE: tuple[Mutation, ...] = (flip_bytes, cut, repeat, overwrite_word, splice)
IN_TEXT: tuple[Mutation, ...] = (insert_token, replace_cell, replace_number, mix_lines, lengthen_a_line)


def mutated(
    rng: np.random.Generator, content: bytes, others: Sequence[bytes], kinds: Sequence[Mutation]
) -> tuple[bytes, list[str]]:
    """Damage a file one to four times; return it and the names of what was done."""
    done = []
    for _ in range(int(rng.choice([1, 1, 1, 2, 3, 4]))):
        mutation = kinds[rng.integers(len(kinds))]
        content = mutation(rng, content, others)[:_LONGEST]
        done.append(mutation.__name__)
    return content, done


def _range_of(rng: np.random.Generator, content: bytes) -> tuple[int, int]:
    start, stop = sorted(rng.integers(len(content) + 1, size=2).tolist())
    return start, stop
