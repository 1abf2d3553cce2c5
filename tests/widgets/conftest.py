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


@pytest.fixture
def open_page(browser, tmp_path):  # noqa: F811
    """Open a page with the widgets' HTML; at the end of the test nothing may have gone wrong on it unless expected."""
    pages, counter = [], itertools.count()

    def open_page(*widgets, theme="light", width=1300, javascript=True, errors_expected=False):
        (tmp_path / "widgets.js").write_text(bundle(), encoding="utf-8")
        (tmp_path / "widgets.css").write_text(stylesheet(), encoding="utf-8")
        html = "".join(widget if isinstance(widget, str) else widget.to_html() for widget in widgets)
        background = {"light": "#ffffff", "dark": "#121212"}[theme]
        path = tmp_path / f"page{next(counter)}.html"
        path.write_text(PAGE.format(theme=theme, background=background, widgets=html), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900}, java_script_enabled=javascript)
        page.set_default_timeout(10_000)
        errors, requests = [], []
        page.on("console", lambda it: errors.append(it.text) if it.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        pages.append((page, errors, requests, errors_expected))
        return page

    yield open_page
    for page, errors, requests, errors_expected in pages:
        page.close()
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
