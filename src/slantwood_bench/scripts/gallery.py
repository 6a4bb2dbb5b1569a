"""Makes the pictures of the docs.

`python -m slantwood_bench.scripts.gallery docs` makes all of them, `... docs report` one. A new picture is
one function below, marked with `@picture`; its name is that of the file. The report is photographed in a
browser: selenium, chromium and chromedriver must be there.
"""

import argparse
import io
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from slantwood import ObliqueForestClassifier, ObliqueForestRegressor
from slantwood.data import load

# Of a picture in bytes: a page of the docs should load at once.
MOST_BYTES = 150_000

Picture = Callable[[Path], None]
PICTURES: dict[str, Picture] = {}


def picture(make: Picture) -> Picture:
    """Add a function that makes a picture."""
    PICTURES[make.__name__] = make
    return make


@picture
def report(path: Path) -> None:
    """Photograph two places of the report on a forest of the data set emotions."""
    _photograph_report(ObliqueForestClassifier(random_state=0), "emotions", "trees", path)


@picture
def report_hierarchy(path: Path) -> None:
    """Photograph the report on a forest of gene functions, which form a hierarchy."""
    hierarchy = load("yeast_cellcycle_FUN").hierarchy
    forest = ObliqueForestClassifier(hierarchy=hierarchy, random_state=0)
    _photograph_report(forest, "yeast_cellcycle_FUN", "examples", path)


@picture
def report_numbers(path: Path) -> None:
    """Photograph the report on a forest of several numbers."""
    _photograph_report(ObliqueForestRegressor(random_state=0), "jura", "quality", path)


def _photograph_report(forest: Any, name: str, place: str, path: Path) -> None:
    """Fit two thirds of a data set; photograph the report on the others, its begin and a section."""
    data = load(name)
    rows = np.random.default_rng(0).permutation(data.X.shape[0])
    learn, test = np.split(rows, [2 * len(rows) // 3])
    names: dict[str, Any] = {"feature_names": data.feature_names}
    if data.hierarchy is None:  # which names the labels itself
        names["target_names"] = data.target_names
    forest.fit(data.X[learn], data.y[learn], **names)
    with tempfile.TemporaryDirectory() as folder, _browser(900, 1000) as browser:
        page = forest.report(Path(folder) / "report.html", data.X[test], data.y[test])
        browser.get(page.as_uri())
        shots = [browser.get_screenshot_as_png()]
        browser.execute_script(f"document.getElementById('{place}').scrollIntoView()")
        time.sleep(1)  # until a tree is drawn
        shots.append(browser.get_screenshot_as_png())
    _save_side_by_side(shots, path)


@picture
def intervals(path: Path) -> None:
    """Draw conformal intervals of a skewed problem, sorted by what is predicted."""
    import matplotlib.pyplot as plt

    from slantwood.explain import conformal
    from slantwood.views import plot_intervals

    rng = np.random.default_rng(0)
    X = rng.uniform(size=(900, 2))
    y = 3 * X[:, 0] + (0.1 + X[:, 1]) * rng.exponential(size=900)
    forest = ObliqueForestRegressor(bootstrap=True, random_state=0).fit(X[:600], y[:600])
    found = conformal(forest, X[:600], y[:600]).predict_interval(X[600:], coverage=0.9)
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    plot_intervals(found, y[600:], ax=axes)
    figure.savefig(path, dpi=100)
    plt.close(figure)


@contextmanager
def _browser(width: int, height: int) -> Iterator[Any]:
    """Start a browser without a window."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    arguments = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    for argument in (*arguments, f"--window-size={width},{height}"):
        options.add_argument(argument)
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        session.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        yield session
    finally:
        session.quit()


def _save_side_by_side(shots: Sequence[bytes], path: Path, gap: int = 16) -> None:
    """Put photographs of one height side by side, in as few colours as a page has."""
    from PIL import Image

    images = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    width = sum(image.width for image in images) + gap * (len(images) - 1)
    whole = Image.new("RGB", (width, max(image.height for image in images)), "#888888")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width + gap
    whole.quantize(48).save(path, optimize=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where to save them")
    parser.add_argument("names", nargs="*", choices=[*PICTURES, []], help="which; all if none is named")
    options = parser.parse_args(arguments)
    for name in options.names or PICTURES:
        path = options.folder / f"{name}.png"
        PICTURES[name](path)
        size = path.stat().st_size
        print(f"{path}: {size:,} bytes{' (too large)' if size > MOST_BYTES else ''}")


if __name__ == "__main__":
    main()
