"""Saves figures as PNG and as SVG with real text; the same figure gives the same bytes."""

from __future__ import annotations

from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slantwood_bench.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 150
# Whatever a user's own settings are. Names inside an SVG are drawn by chance unless there is a salt.
_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "slantwood", "svg.fonttype": "none", "savefig.bbox": None}
# What is None is left out: the date, and the version that drew.
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}


def save(figure: Figure, path_without_suffix: str | PathLike[str]) -> tuple[Path, Path]:
    """Write a figure as PNG and SVG, each whole or not at all.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What to write.
    path_without_suffix : str or path
        Where to: ".png" and ".svg" are put behind it, whatever dots it has.

    Returns
    -------
    pair of Path
        The PNG file and the SVG file.
    """
    stem = Path(path_without_suffix)
    # Both are drawn before either is written.
    contents = {kind: _drawn(figure, kind) for kind in ("png", "svg")}
    files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in contents}
    for kind, content in contents.items():
        write_whole(files[kind], content)
    return files["png"], files["svg"]


def _drawn(figure: Figure, kind: str) -> bytes:
    import matplotlib as mpl

    content = BytesIO()
    with mpl.rc_context(_SETTINGS):
        figure.savefig(
            content,
            format=kind,
            dpi=_DOTS_PER_INCH,
            facecolor="white",
            edgecolor="none",
            metadata=_METADATA[kind],
        )
    return content.getvalue()
