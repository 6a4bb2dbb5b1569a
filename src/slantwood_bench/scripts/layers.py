"""The layers of the package, as a table that a test keeps and a picture that is made from the real imports.

`python -m slantwood_bench.scripts.layers docs/layers.svg` draws it. An arrow says "imports"; one that follows
from others (a imports b, b imports c) is left out, and so are those to the small things in the last row.
"""

import argparse
import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

import slantwood

# From top to bottom. A part may import what stands in a lower row, and nothing else.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("cli",),
    ("planning", "report"),
    ("callbacks", "dask", "model_data", "views"),
    ("evaluation", "explain", "export"),
    ("estimators",),
    ("ensemble", "label_trees"),
    ("data", "metrics", "model_selection"),
    ("growth", "targets"),
    ("features", "leaves", "losses", "model", "splits"),
    ("kernels",),
    ("machine_code",),
    (
        "atomic",
        "hints",
        "messages",
        "presets",
        "split_names",
        "task_names",
        "threads",
        "user_folders",
        "validation",
        "workers",
    ),
)

# Files that hold short methods for users, such as `model.describe()`: all that they do is to call, within the
# method, a function that stands above them. Nothing else may import upwards, and these nothing but that.
SHORTCUTS = ("estimators/shortcuts.py", "explain/shortcuts.py")

_PARTS = {part for parts in LAYERS for part in parts}
_BOX_WIDTH, _BOX_HEIGHT, _GAP, _ROW = 128, 34, 18, 84


def imports(root: Path | None = None) -> dict[tuple[str, str], list[str]]:
    """Return the files that make one part import another, for each such pair of parts."""
    root = root or Path(slantwood.__file__).parent
    found: dict[tuple[str, str], list[str]] = {}
    for file in sorted(root.rglob("*.py")):
        place = file.relative_to(root)
        part = place.parts[0].removesuffix(".py")
        if part.startswith("__") or place.as_posix() in SHORTCUTS:  # public names, which come from everywhere
            continue
        for imported in _imported(ast.parse(file.read_text(encoding="utf-8"))):
            if imported != part and imported in _PARTS:
                found.setdefault((part, imported), []).append(place.as_posix())
    return found


def _imported(tree: ast.AST) -> Iterator[str]:
    """Parts of the package that a file imports, also within functions."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module == "slantwood":
            names = [f"slantwood.{each.name}" for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "slantwood" and rest:
                yield rest.split(".")[0]


def wrong_imports(found: dict[tuple[str, str], list[str]]) -> list[str]:
    """Say which imports do not point downwards."""
    row = {part: number for number, parts in enumerate(LAYERS) for part in parts}
    return [
        f"{upper} imports {lower} in {', '.join(files)}"
        for (upper, lower), files in found.items()
        if row[upper] >= row[lower]
    ]


def _direct(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Leave out pairs that follow from others."""
    below: dict[str, set[str]] = {}
    for part in (part for parts in reversed(LAYERS) for part in parts):
        nearest = {lower for upper, lower in pairs if upper == part}
        below[part] = nearest.union(*(below[lower] for lower in nearest))
    return {
        (upper, lower)
        for upper, lower in pairs
        if not any(lower in below[other] for above, other in pairs if above == upper)
    }


def picture(found: dict[tuple[str, str], list[str]]) -> str:
    """Draw the layers as SVG."""
    widest = max(map(len, LAYERS))
    width = widest * (_BOX_WIDTH + _GAP) + _GAP
    place = {}
    for row, parts in enumerate(LAYERS):
        left = (width - len(parts) * (_BOX_WIDTH + _GAP) + _GAP) / 2
        for column, part in enumerate(parts):
            place[part] = left + column * (_BOX_WIDTH + _GAP), _GAP + row * _ROW
    height = _GAP + len(LAYERS) * _ROW - (_ROW - _BOX_HEIGHT) + _GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="14">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for upper, lower in sorted(_direct(set(found))):
        if lower in LAYERS[-1]:  # small things that all may use
            continue
        (x1, y1), (x2, y2) = place[upper], place[lower]
        x1, x2, y1 = x1 + _BOX_WIDTH / 2, x2 + _BOX_WIDTH / 2, y1 + _BOX_HEIGHT
        bend = (y2 - y1) / 2
        lines.append(
            f'<path d="M{x1:g},{y1:g} C{x1:g},{y1 + bend:g} {x2:g},{y2 - bend:g} {x2:g},{y2:g}" fill="none" '
            f'stroke="#4477aa" stroke-width="1.3"><title>{escape(f"{upper} imports {lower}")}</title></path>'
        )
    for part, (x, y) in place.items():
        lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="5" fill="#eef3f8" '
            'stroke="#335577"/>'
            f'<text x="{x + _BOX_WIDTH / 2:g}" y="{y + 22:g}" text-anchor="middle">{part}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    """Draw the picture, unless an import points upwards."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path, help="where to write the SVG file")
    path = parser.parse_args().path
    found = imports()
    wrong = wrong_imports(found)
    if wrong:
        raise SystemExit("\n".join(wrong))
    path.write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main()
