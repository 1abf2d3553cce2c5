"""Pages as the book builds them, opened in a browser that reports every error and every request."""

import itertools

import pytest
from widget_examples import EXAMPLES
from widget_examples import vectors as example_vectors

from mlnotes.book.browser import browser  # noqa: F401
from mlnotes.widgets import bundle, stylesheet

PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<link rel="stylesheet" href="widgets.css"><script src="widgets.js"></script></head>
<body style="margin: 16px; background: {background}"><main style="max-width: 740px; margin: auto">
<h1 style="color: gray">A page</h1>{widgets}</main></body></html>
"""


@pytest.fixture(scope="module")
def spare_pages():
    """Keep pages that tests have left, those with JavaScript and those without: a new one is a new process."""
    return {True: [], False: []}


@pytest.fixture
def open_page(browser, spare_pages, tmp_path):  # noqa: F811
    """Open a page with the widgets' HTML; at the end of the test nothing may have gone wrong on it unless expected."""
    pages, counter = [], itertools.count()

    def open_page(*widgets, theme="light", width=1300, javascript=True, errors_expected=False):
        (tmp_path / "widgets.js").write_text(bundle(), encoding="utf-8")
        (tmp_path / "widgets.css").write_text(stylesheet(), encoding="utf-8")
        html = "".join(widget if isinstance(widget, str) else widget.to_html() for widget in widgets)
        background = {"light": "#ffffff", "dark": "#121212"}[theme]
        path = tmp_path / f"page{next(counter)}.html"
        path.write_text(PAGE.format(theme=theme, background=background, widgets=html), encoding="utf-8")
        viewport = {"width": width, "height": 900}
        if spare_pages[javascript]:
            page = spare_pages[javascript].pop()
            page.set_viewport_size(viewport)
        else:
            page = browser.new_page(viewport=viewport, java_script_enabled=javascript)
        page.set_default_timeout(10_000)
        errors, requests = [], []
        listeners = {
            "console": lambda it: errors.append(it.text) if it.type in ("error", "warning") else None,
            "pageerror": lambda error: errors.append(str(error)),
            "request": lambda request: requests.append(request.url),
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(path.as_uri())
        pages.append((page, javascript, listeners, errors, requests, errors_expected))
        return page

    yield open_page
    for page, javascript, listeners, errors, requests, errors_expected in pages:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        page.mouse.move(0, 0)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null", forced_colors="null")
        spare_pages[javascript].append(page)
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
        page.get_by_label(label).first.evaluate(
            "(input, position) => { input.value = position; input.dispatchEvent(new Event('input')); }", position
        )

    return slide
