"""The page of the study: complete, safe, and usable in a real browser, with mouse, keyboard and telephone."""

import base64
import csv
import re
from pathlib import Path

import pytest

from slantwood_bench import report, tables
from slantwood_bench.report import Figure, Section
from slantwood_bench.sections import sections_of
from slantwood_bench.tables import Description, Table
from tests.browser import browser_session, contrast, luminance, open_page

CIRCUMSTANCES = {"Profile": "smoke", "Date": "2030-01-01", "Command": "slantwood bench --profile smoke"}
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="360pt" height="72pt" viewBox="0 0 360 72"></svg>'
# One dot.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

# Numbers that are in another order as text, words among them, and a cell with nothing.
NUMBERS = (10.5, 9.25, "timed out", -3.0, 1000, None, 0.002)
SMALL = Table(
    "small",
    "A small table",
    ("data set", "seconds"),
    tuple((f"set {i}", value) for i, value in enumerate(NUMBERS)),
    ("A note.",),
    best=frozenset({(0, 1)}),
)
WIDE = Table(
    "wide",
    "A wide table",
    ("data set", *(f"random forest, splits of kind {i}, as published" for i in range(20))),
    tuple((f"some_data_set_{i}", *(i / 7 + j / 20 for j in range(20))) for i in range(8)),
    decimals=3,
)
KNOWN = {
    "bag-gradient": Description("bagging, gradient", "ensemble"),
    "other": Description("the other one", "other"),
}
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"
LONG = "x" * 300


@pytest.fixture
def page(tmp_path):
    """A page with a wide table, a figure, and long words."""
    figure = tmp_path / "figure.svg"
    figure.write_text(SVG)
    parts = (
        Section("Part", tables=(WIDE,)),
        Section("Other part", figures=(Figure(figure, "a line", "Line."),)),
    )
    path = tmp_path / "report.html"
    report.write(
        path,
        [Section("Numbers", ("Some text.",), tables=(SMALL,)), Section("Parts", parts=parts)],
        CIRCUMSTANCES | {"Machine": LONG},
    )
    return path


class TestFile:
    def test_shows_every_text(self, page):
        text = page.read_text(encoding="utf-8")
        for wanted in (
            SMALL.title,
            *SMALL.notes,
            "set 6",
            "timed out",
            "Some text.",
            *CIRCUMSTANCES.values(),
        ):
            assert wanted in text
        for anchor in ("numbers", "parts", "parts-part", "parts-other-part", "environment"):
            assert f'href="#{anchor}"' in text
            assert text.count(f'id="{anchor}"') == 1

    def test_names_no_outside_address(self, page):
        addresses = re.findall(r"""(?:src|href|url|action)\s*[=(]\s*["']?([^"'\s>)]+)""", page.read_text())
        assert addresses
        assert all(address.startswith(("#", "data:")) for address in addresses)

    def test_everything_is_escaped(self, tmp_path):
        nasty = '<script>alert(1)</script>"onload="x&'
        figure = tmp_path / "figure.svg"
        figure.write_text(SVG)
        table = Table(nasty, nasty, (nasty, nasty), ((nasty, nasty),), (nasty,))
        section = Section(nasty, (nasty,), (Figure(figure, nasty, nasty),), (table,), (Section(nasty),))
        report.write(tmp_path / "page.html", [section], {nasty: nasty}, nasty)
        text = (tmp_path / "page.html").read_text()
        assert nasty not in text
        assert text.count("<script>") == 1
        assert '"onload=' not in text

    def test_pictures_are_within(self, tmp_path):
        (tmp_path / "a.svg").write_text(SVG)
        (tmp_path / "b.png").write_bytes(PNG)
        figures = (Figure(tmp_path / "a.svg", "an SVG"), Figure(tmp_path / "b.png", "a PNG"))
        report.write(tmp_path / "page.html", [Section("Figures", figures=figures)], {})
        text = (tmp_path / "page.html").read_text()
        (tmp_path / "a.svg").unlink()
        found = dict(re.findall(r'src="data:(image/[a-z+]+);base64,([^"]+)"', text))
        assert {kind: base64.b64decode(content) for kind, content in found.items()} == {
            "image/svg+xml": SVG.encode(),
            "image/png": PNG,
        }
        # 360 points are 480 pixels.
        assert 'width="480" height="96"' in text

    def test_other_pictures_are_refused(self, tmp_path):
        (tmp_path / "a.gif").write_bytes(b"GIF89a")
        figure = Figure(tmp_path / "a.gif", "a GIF")
        with pytest.raises(ValueError, match=r"ends in '\.gif'; expected \.svg or \.png"):
            report.write(tmp_path / "page.html", [Section("Figures", figures=(figure,))], {})
        assert not (tmp_path / "page.html").exists()

    def test_an_earlier_page_stays_if_something_goes_wrong(self, page):
        before = page.read_bytes()
        with pytest.raises(FileNotFoundError):
            report.write(page, [Section("S", figures=(Figure(Path("nowhere.svg"), "nothing"),))], {})
        assert page.read_bytes() == before


class TestArrangement:
    def rows(self, ours):
        shared = {
            "experiment": "comparison",
            "task": "multi-label",
            "n_folds": 1,
            "n_trees": 5,
            "fold": 0,
            "seed": 0,
            "threads": 1,
            "changes": {},
            "status": "ok",
            "measure": "LRAP",
            "learn_seconds": 1.0,
            "bytes": 10,
        }
        return [
            shared | {"dataset": name, "method": method, "quality": quality}
            for name in ("emotions", "scene")
            for method, quality in (("bag-gradient", ours), ("other", 0.5))
        ]

    def test_parts_without_results_are_left_out(self):
        titles = [section.title for section in sections_of(self.rows(0.9), known=KNOWN)]
        assert titles[:3] == ["Summary", "Average ranks", "Quality by task"]
        assert not {"Importance of features", "Influence of parameters", "What did not finish"} & set(titles)
        assert sections_of([], known=KNOWN)[0].title == "Learning times"

    def test_the_page_begins_with_where_slantwood_stands(self):
        rows = self.rows(0.9)
        (first, *_) = sections_of(rows, known=KNOWN)
        assert first.paragraphs == tables.standing_in_words(rows, KNOWN)
        assert "(bagging, gradient)" in first.paragraphs[0]
        assert "multi-label, first of 2." in first.paragraphs[0]
        # There are no single trees, and so there is no table of them.
        assert [table.name for table in first.tables] == ["standing"]

    def test_figures_go_where_they_belong(self, tmp_path):
        figure = Figure(tmp_path / "x.svg", "ranks")
        sections = sections_of(
            self.rows(0.9), figures={"comparison/multi-label": [figure], "sizes": [figure]}, known=KNOWN
        )
        by_title = {section.title: section for section in sections}
        assert by_title["Quality by task"].parts[0].figures == (figure,)
        assert by_title["Sizes of models"].figures == (figure,)

    def test_figures_without_a_place_are_refused(self, tmp_path):
        figures = {"comparison/multilabel": [Figure(tmp_path / "x.svg", "ranks")]}
        with pytest.raises(ValueError, match="comparison/multilabel"):
            sections_of(self.rows(0.9), figures=figures, known=KNOWN)

    def test_every_table_has_a_file_of_its_own(self, tmp_path):
        found = list(report.tables_of(sections_of(self.rows(0.9), known=KNOWN)))
        paths = [tables.write_csv(table, tmp_path) for table in found]
        assert len(set(paths)) == len(found) > 4
        with open(tmp_path / "quality-multi-label.csv", newline="") as file:
            assert list(csv.reader(file))[1] == ["emotions", "0.9", "0.5"]


@pytest.fixture(scope="module")
def browser():
    """A real browser without a window."""
    with browser_session() as session:
        yield session


def column(browser, table=0, number=1):
    """The texts of a column as they stand."""
    return browser.execute_script(
        "return [...document.querySelectorAll('table')[arguments[0]].tBodies[0].rows]"
        ".map(row => row.cells[arguments[1]].textContent)",
        table,
        number,
    )


class TestInTheBrowser:
    ascending = (f"{MINUS}3.00", "0.00200", "9.25", "10.5", "1,000", "timed out", DASH)
    descending = ("1,000", "10.5", "9.25", "0.00200", f"{MINUS}3.00", "timed out", DASH)

    def test_asks_for_nothing_and_has_nothing_to_complain_of(self, browser, page):
        asked, complaints = open_page(browser, page)
        assert asked
        assert {address for address in asked if not address.startswith("data:")} == {page.as_uri()}
        assert complaints == []

    def test_a_click_on_a_heading_sorts_numbers_both_ways(self, browser, page):
        open_page(browser, page)
        heading = browser.find_elements("css selector", "thead th")[1]
        button = heading.find_element("tag name", "button")
        assert heading.get_attribute("aria-sort") is None
        button.click()
        assert tuple(column(browser)) == self.ascending
        assert heading.get_attribute("aria-sort") == "ascending"
        button.click()
        assert tuple(column(browser)) == self.descending
        assert heading.get_attribute("aria-sort") == "descending"
        button.click()
        assert heading.get_attribute("aria-sort") == "ascending"

    def test_only_one_heading_says_that_it_sorts(self, browser, page):
        open_page(browser, page)
        first, second = browser.find_elements("css selector", "table:first-of-type thead button")[:2]
        second.click()
        first.click()
        assert column(browser, number=0) == [f"set {i}" for i in range(7)]
        first.click()
        assert column(browser, number=0) == [f"set {i}" for i in reversed(range(7))]
        assert len(browser.find_elements("css selector", "th[aria-sort]")) == 1

    def test_lines_stay_whole(self, browser, page):
        open_page(browser, page)
        before = set(zip(column(browser, number=0), column(browser), strict=True))
        browser.find_elements("css selector", "thead button")[1].click()
        assert set(zip(column(browser, number=0), column(browser), strict=True)) == before

    def test_the_keyboard_sorts_too(self, browser, page):
        from selenium.webdriver import ActionChains, Keys

        open_page(browser, page)
        buttons = browser.find_elements("css selector", "thead button")
        browser.execute_script("arguments[0].focus()", buttons[0])
        ActionChains(browser).send_keys(Keys.TAB).perform()
        assert browser.switch_to.active_element == buttons[1]
        ActionChains(browser).send_keys(Keys.ENTER).perform()
        assert tuple(column(browser)) == self.ascending
        ActionChains(browser).send_keys(Keys.SPACE).perform()
        assert tuple(column(browser)) == self.descending
        assert browser.switch_to.active_element == buttons[1]

    @pytest.mark.parametrize("width", [320, 375, 768, 1280])
    def test_only_tables_scroll_sideways(self, browser, page, width):
        open_page(browser, page, width, 812)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        wide = browser.find_elements("css selector", ".scroll")[1]
        inner, outer = browser.execute_script(
            "return [arguments[0].scrollWidth, arguments[0].clientWidth]", wide
        )
        assert inner > outer
        assert outer <= width

    def test_the_first_column_stays_while_a_table_scrolls(self, browser, page):
        open_page(browser, page, 375, 812)
        script = """
            const box = document.querySelectorAll(".scroll")[1];
            const line = box.querySelector("tbody tr");
            const at = cell => cell.getBoundingClientRect().left;
            const before = [at(line.cells[0]), at(line.cells[5])];
            box.scrollLeft = 200;
            return [before, [at(line.cells[0]), at(line.cells[5])]];
        """
        (name, number), (name_after, number_after) = browser.execute_script(script)
        assert name_after == pytest.approx(name, abs=1)
        assert number_after == pytest.approx(number - 200, abs=1)

    def test_numbers_are_to_the_right_and_texts_to_the_left(self, browser, page):
        open_page(browser, page)
        line = browser.find_element("css selector", "tbody tr")
        name, number = line.find_elements("css selector", "th, td")
        assert name.value_of_css_property("text-align") == "left"
        assert number.value_of_css_property("text-align") == "right"
        assert name.get_attribute("scope") == "row"

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_every_text_can_be_read(self, browser, page, scheme):
        open_page(browser, page, scheme=scheme)
        script = """
            const behind = node => {
                for (; node; node = node.parentElement) {
                    const colour = getComputedStyle(node).backgroundColor;
                    if (!/, 0\\)$/.test(colour)) return colour;
                }
            };
            return [...document.body.querySelectorAll("*")]
                .filter(node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
                .filter(node => !["SCRIPT", "STYLE"].includes(node.tagName))
                .map(node => [node.tagName, getComputedStyle(node).color, behind(node)]);
        """
        found = {tuple(each) for each in browser.execute_script(script)}
        assert len(found) > 5
        for tag, ink, paper in found:
            # What WCAG asks for at level AA.
            assert contrast(ink, paper) >= 4.5, (tag, ink, paper)
        is_dark = (
            luminance(browser.find_element("tag name", "body").value_of_css_property("background-color"))
            < 0.2
        )
        assert is_dark == (scheme == "dark")

    def test_without_a_script_all_is_there_and_nothing_pretends(self, browser, page):
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            open_page(browser, page)
            texts = [
                cell.text for cell in browser.find_elements("css selector", "table:first-of-type tbody td")
            ]
            assert texts[:7] == ["10.5", "9.25", "timed out", f"{MINUS}3.00", "1,000", DASH, "0.00200"]
            assert browser.find_elements("tag name", "button") == []
        finally:
            browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def test_every_picture_and_table_has_a_name(self, browser, page):
        open_page(browser, page)
        for table in browser.find_elements("tag name", "table"):
            assert table.find_element("tag name", "caption").text
        (image,) = browser.find_elements("tag name", "img")
        assert image.get_attribute("alt") == "a line"
        assert browser.execute_script("return arguments[0].naturalWidth", image) > 0
        for region in browser.find_elements("css selector", "[role=region]"):
            assert region.accessible_name
            assert region.get_attribute("tabindex") == "0"
