"""The page of a model in a real browser: it opens, sorts, expands, searches, and complains of nothing."""

import numpy as np
import pytest

from slantwood import ObliqueForestClassifier
from tests.browser import browser_session, contrast, open_page

webdriver = pytest.importorskip("selenium.webdriver", reason="the tests in a browser need selenium")
ActionChains, Keys = webdriver.ActionChains, webdriver.Keys

NASTY = "</script><img src=x onerror=document.title='broken'>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report on a forest of three trees; a feature has a name that would like to be a picture."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    labels = (X[:, :3] + X[:, 1:] + 0.5 * rng.normal(size=(150, 3)) > 0.3).astype(int)
    forest = ObliqueForestClassifier(n_estimators=3, random_state=0)
    names = ["width", "height", NASTY, "weight"]
    forest.fit(X[:100], labels[:100], feature_names=names, target_names=["sun", "sea", NASTY])
    return forest.report(tmp_path_factory.mktemp("report") / "report.html", X[100:], labels[100:])


@pytest.fixture(scope="module")
def browser():
    with browser_session() as session:
        yield session


def texts(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)"
    return browser.execute_script(script, selector)


def tree_buttons(browser):
    return browser.find_elements("css selector", "#tree-view button.node")


def show_tree(browser):
    """Bring the trees into view, and wait until the first is drawn."""
    browser.execute_script("document.getElementById('tree-browser').scrollIntoView({behavior: 'instant'})")
    from selenium.webdriver.support.ui import WebDriverWait  # which selenium.webdriver does not load

    WebDriverWait(browser, 10).until(tree_buttons)


def test_the_page_asks_for_nothing_and_complains_of_nothing(browser, page):
    asked, complaints = open_page(browser, page)
    assert set(asked) == {page.as_uri()}
    assert complaints == []
    assert browser.title == "ObliqueForestClassifier, multi-label"
    assert browser.find_elements("tag name", "img") == []
    # A tree is drawn when it comes into view, not before.
    assert tree_buttons(browser) == []


def test_a_click_on_a_heading_sorts_and_so_does_the_keyboard(browser, page):
    open_page(browser, page)
    column = "#quality .sortable tbody tr td:nth-of-type(3)"
    heading = browser.find_elements("css selector", "#quality .sortable thead th")[3]
    button = heading.find_element("tag name", "button")
    before = texts(browser, "#quality .sortable tbody tr")
    button.click()
    falling = [float(text) for text in texts(browser, column)]
    assert falling == sorted(falling, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert [float(text) for text in texts(browser, column)] == falling[::-1]
    assert heading.get_attribute("aria-sort") == "ascending"
    assert sorted(texts(browser, "#quality .sortable tbody tr")) == sorted(before)


def test_nodes_open_and_close_by_mouse_and_keyboard(browser, page):
    open_page(browser, page)
    show_tree(browser)
    closed = browser.find_element("css selector", "#tree-view [aria-expanded=false]")
    n_before = len(tree_buttons(browser))
    closed.click()
    assert closed.get_attribute("aria-expanded") == "true"
    assert len(tree_buttons(browser)) == n_before + 2
    assert browser.switch_to.active_element == closed
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    assert closed.get_attribute("aria-expanded") == "false"
    assert len([each for each in tree_buttons(browser) if each.is_displayed()]) == n_before
    ActionChains(browser).send_keys(Keys.TAB).perform()
    assert "node" in browser.switch_to.active_element.get_attribute("class")


def test_the_focus_shows_weights_and_contents_of_a_node(browser, page):
    open_page(browser, page)
    show_tree(browser)
    root = tree_buttons(browser)[0]
    browser.execute_script("arguments[0].focus()", root)
    assert texts(browser, "#tree-detail caption") == ["Weights, and their shares", "Mean of the leaves below"]
    assert texts(browser, "#tree-detail .hint")[0] == "100 of 100 training rows"
    assert NASTY in texts(browser, "#tree-detail th")
    assert len(browser.find_elements("css selector", "#tree-detail .fill")) >= 4
    for _ in range(20):
        browser.find_element("id", "tree-expand").click()
    leaves = browser.find_elements("css selector", "#tree-view .leaf")
    leaf = next(each for each in leaves if "sun" in each.text)
    ActionChains(browser).move_to_element(leaf).perform()
    assert texts(browser, "#tree-detail h3") == ["Leaf"]
    assert texts(browser, "#tree-detail caption") == ["Predicts"]
    assert "sun" in texts(browser, "#tree-detail th")


def test_a_search_finds_the_splits_of_a_feature_and_opens_the_way_to_them(browser, page):
    open_page(browser, page)
    show_tree(browser)
    search = browser.find_element("id", "tree-search")
    search.send_keys("WEIGHT")
    found = browser.find_elements("css selector", "#tree-view .found")
    said = browser.find_element("id", "tree-status").text
    assert int(said.split()[0]) == len(found) > 1
    assert all(each.is_displayed() for each in found)
    search.send_keys(Keys.ENTER)
    assert browser.switch_to.active_element == found[0]
    assert "weight" in texts(browser, "#tree-detail th")
    search.clear()
    search.send_keys("no such feature")
    assert browser.find_elements("css selector", "#tree-view .found") == []
    assert browser.find_element("id", "tree-status").text.startswith("0 splits")


def test_another_tree_is_loaded_when_it_is_chosen(browser, page):
    open_page(browser, page)
    show_tree(browser)
    before = texts(browser, "#tree-view")
    choice = browser.find_element("id", "tree-choice")
    choice.send_keys("2")
    assert texts(browser, "#tree-view") != before
    assert browser.find_element("id", "tree-status").text.startswith("Tree 2 has ")
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (1280, "light")])
def test_it_can_be_read_on_telephones_and_in_the_dark(browser, page, width, scheme):
    open_page(browser, page, width, 812, scheme)
    show_tree(browser)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    script = """
        const behind = node => {
            for (; node; node = node.parentElement) {
                const colour = getComputedStyle(node).backgroundColor;
                if (!/, 0\\)$/.test(colour)) return colour;
            }
        };
        return [...document.querySelectorAll("p, h2, th, td, a, dt, dd, .node, button, b, span")]
            .filter(node => node.textContent.trim() && !node.matches(".heat"))
            .map(node => [node.tagName, getComputedStyle(node).color, behind(node)]);
    """
    found = {tuple(each) for each in browser.execute_script(script)}
    assert len(found) > 5
    for tag, ink, paper in found:
        assert contrast(ink, paper) >= 4.5, (tag, ink, paper)
