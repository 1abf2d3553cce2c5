"""The browser of the tests: the Chromium or Chrome that the machine has, without a network of its own.

A conftest takes the fixture by ``from mlnotes.book.browser import browser  # noqa: F401``.
"""

import os
import shutil
from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "tests" / "axe" / "axe.min.js"  # newer than what packages for this Python hold

# The first is Chromium without windows and their own pages: a page opens in a third of the time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# Of one module, not of the session: Playwright keeps an event loop running in the thread, in which notebooks could not
# be executed, and a second Playwright not be started.
@pytest.fixture(scope="module")
def browser():
    """Give a browser to the tests of one module."""
    requires_browser()
    from playwright.sync_api import sync_playwright  # only now: other tests should not pay for it

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


def launch(playwright):
    """Start the installed Chromium, headless and with a fresh profile.

    Parameters
    ----------
    playwright : playwright.sync_api.Playwright
        What ``with sync_playwright() as playwright`` gives.

    Returns
    -------
    playwright.sync_api.Browser
        Close it, or leave the ``with``.
    """
    return playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)


def accessibility_faults(page, where, options):
    """Look for what keeps people from using a page, with axe-core.

    Parameters
    ----------
    page : playwright.sync_api.Page
        An open page.
    where : str
        JavaScript of what to look at, as axe takes it: a selector, elements, or what is included and excluded.
    options : dict
        Options of ``axe.run``. Its ``preload`` would ask for style sheets in a way that a page in a folder may not.

    Returns
    -------
    list of (str, str)
        The rule and the element of each fault.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    run = f"options => axe.run({where}, options).then(it => it.violations)"
    found = page.evaluate(run, {"resultTypes": ["violations"], "preload": False} | options)
    return [(fault["id"], node["html"][:200]) for fault in found for node in fault["nodes"]]


def requires_browser():
    """Skip the calling test where there is no Chromium; fail it where one is required."""
    if chromium() is not None:
        return
    if os.environ.get("CI") or os.environ.get("MLNOTES_REQUIRE_BROWSER") == "1":
        pytest.fail("no Chromium or Chrome was found, and this machine must have one")
    pytest.skip("no Chromium or Chrome was found")


def chromium():
    """Find the installed Chromium or Chrome, on the PATH or where Chrome is on macOS and Windows, or None."""
    folders = [os.environ[it] for it in ("ProgramFiles", "ProgramFiles(x86)", "LocalAppData") if it in os.environ]
    on_windows = [rf"{it}\Google\Chrome\Application\chrome.exe" for it in folders]
    return next(filter(None, map(shutil.which, [*NAMES, ON_MACOS, *on_windows])), None)
