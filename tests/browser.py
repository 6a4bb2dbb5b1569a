"""A real browser for tests of pages; where there is none, these are skipped."""

import re
import shutil
from contextlib import contextmanager

import pytest


@contextmanager
def browser_session():
    """Start a browser without a window, and end it."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the tests in a browser need selenium")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (program and driver):
        pytest.skip("the tests in a browser need chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    session = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield session
    finally:
        session.quit()


def open_page(browser, path, width=1280, height=900, scheme="light"):
    """Open a file as on a screen of this size; returns what the page asked for and what it complained of."""
    for kind in ("performance", "browser"):
        browser.get_log(kind)
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(path.as_uri())
    events = [entry["message"] for entry in browser.get_log("performance")]
    asked = [
        found[1]
        for event in events
        if '"Network.requestWillBeSent"' in event and (found := re.search(r'"url":"([^"]+)"', event))
    ]
    return asked, browser.get_log("browser")


def luminance(colour):
    """Relative luminance of a colour such as "rgb(1, 2, 3)", as WCAG defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)
