"""Pages as the book builds them, opened in a browser that reports every error and every request."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from reading import MOVE
from widget_examples import EXAMPLES
from widget_examples import vectors as example_vectors

from mlnotes.book.browser import launch, requires_browser
from mlnotes.widgets import bundle, stylesheet

HERE = Path(__file__).parent
SHARED = pytest.StashKey()

PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<link rel="stylesheet" href="widgets.css"><script src="widgets.js"></script></head>
<body style="margin: 16px; background: {background}"><main style="max-width: 740px; margin: auto">
<h1 style="color: gray">A page</h1>{widgets}</main></body></html>
"""

# Puts another page in the place of the one that was opened, and runs its script, which a parsed one would not.
REPLACE = """async (html) => {
  const page = new DOMParser().parseFromString(html, "text/html").documentElement;
  const [style, parsed, script] = [...page.querySelectorAll("link, script[src]"), document.createElement("script")];
  const loaded = [style, script].map((it) => new Promise((done) => { it.onload = it.onerror = done; }));
  const root = document.documentElement;  // it stays: a page that has another captures no pointer (Chromium 156)
  for (const name of root.getAttributeNames()) root.removeAttribute(name);
  for (const { name, value } of page.attributes) root.setAttribute(name, value);
  root.replaceChildren(...page.childNodes);
  scrollTo(0, 0);
  script.src = parsed.getAttribute("src");
  parsed.replaceWith(script);
  await Promise.all(loaded);
}"""

# Maps give their cells whole pixels in the first frame that shows them, which a test may be faster than.
LAID_OUT = """() => [...document.querySelectorAll(".mw-grid")].every(
  (it) => it.style.getPropertyValue("--cell") || !it.offsetWidth)"""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Keep the files of this folder together: to start their browser takes longer than most of them."""
    ours, others = ([it for it in items if (it.path.parent == HERE) is inside] for inside in (True, False))
    first = items.index(ours[0]) if ours else 0
    items[:] = others[:first] + ours + others[first:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Close the browser before tests of another folder: Playwright keeps an event loop running in the thread."""
    try:
        return (yield)
    finally:
        shared = item.session.stash.get(SHARED, None)
        if shared and (nextitem is None or nextitem.path.parent != HERE):
            del item.session.stash[SHARED]
            shared.close()


class Shared(ExitStack):
    """A browser, pages that tests have left (a new one is a new process), and a folder with what all of them load."""

    def __init__(self, folder):
        super().__init__()
        from playwright.sync_api import sync_playwright  # only now: other tests should not pay for it

        self.browser = launch(self.enter_context(sync_playwright()))
        self.callback(self.browser.close)
        self.spare_pages = {True: [], False: []}  # by whether they have JavaScript
        self.folder = folder
        (folder / "widgets.js").write_text(bundle(), encoding="utf-8")
        (folder / "widgets.css").write_text(stylesheet(), encoding="utf-8")


@pytest.fixture(scope="module")
def shared(request, tmp_path_factory):
    """Give what all tests of this folder share."""
    requires_browser()
    if SHARED not in request.session.stash:
        request.session.stash[SHARED] = Shared(tmp_path_factory.mktemp("pages"))
    return request.session.stash[SHARED]


@pytest.fixture(scope="module")
def browser(shared):
    return shared.browser


@pytest.fixture
def open_page(shared):
    """Open a page with the widgets' HTML; at the end of the test nothing may have gone wrong on it unless expected."""
    opened = []

    def open_page(*widgets, theme="light", width=1300, javascript=True, errors_expected=False, file=False):
        html = "".join(widget if isinstance(widget, str) else widget.to_html() for widget in widgets)
        html = PAGE.format(theme=theme, background={"light": "#ffffff", "dark": "#121212"}[theme], widgets=html)
        page, errors, requests, is_new = take_page(javascript, {"width": width, "height": 900})
        opened.append((page, javascript, errors, requests, errors_expected))
        if is_new or file or not javascript:
            (shared.folder / "page.html").write_text(html, encoding="utf-8")
            page.goto((shared.folder / "page.html").as_uri())
        else:  # to go to a file takes the browser four times as long
            page.evaluate(REPLACE, html)
        if javascript:
            page.wait_for_function(LAID_OUT)
        return page

    def take_page(javascript, viewport):
        if shared.spare_pages[javascript]:
            page, errors, requests = shared.spare_pages[javascript].pop()
            if page.viewport_size != viewport:
                page.set_viewport_size(viewport)
            errors.clear()
            requests.clear()
            return page, errors, requests, False
        page, errors, requests = shared.browser.new_page(viewport=viewport, java_script_enabled=javascript), [], []
        page.set_default_timeout(10_000)
        page.on("console", lambda it: errors.append(it.text) if it.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        return page, errors, requests, True

    yield open_page
    for page, javascript, errors, requests, errors_expected in opened:
        page.mouse.move(0, 0)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null", forced_colors="null")
        shared.spare_pages[javascript].append((page, errors, requests))
        assert errors_expected == bool(errors), errors
        assert all(url.startswith(("file:", "data:")) for url in requests), requests


@pytest.fixture
def vectors():
    """Queries and keys of the attention map among the examples."""
    return example_vectors()


@pytest.fixture
def attention_map():
    return EXAMPLES["attention_map"][0]()


@pytest.fixture
def widget(request):
    """The one whose name is the parameter."""
    return EXAMPLES[request.param][0]()


@pytest.fixture
def widgets():
    """One of each widget."""
    return {name: make() for name, (make, _) in EXAMPLES.items()}


@pytest.fixture
def slide():
    """Move a slider as a reader does, by its label; positions of a temperature are powers of ten."""

    def slide(page, label, position):
        page.evaluate(MOVE, {label: position})

    return slide
