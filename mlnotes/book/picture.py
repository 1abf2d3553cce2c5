"""Take the picture of the book that README.md shows: ``make picture``, after the book was built."""

import io
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "_build/html/chapters/attention/self_attention.html"
PICTURE = ROOT / "chapters/images/book.png"
WIDTH, HEIGHT, ABOVE = 1300, 860, 150  # pixels; ABOVE the widget, the page's own header


def main():
    """Open the page of PAGE, bring its first widget into view, and write PICTURE."""
    from playwright.sync_api import sync_playwright

    from mlnotes.book.browser import launch

    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(PAGE.as_uri())
        widget = page.locator(".mlnotes-widget").first
        widget.locator("input, select").first.wait_for()  # it lives
        widget.evaluate("(element, above) => scrollBy(0, element.getBoundingClientRect().top - above)", ABOVE)
        page.wait_for_timeout(500)  # the header folds, fonts settle
        picture = page.screenshot()
        browser.close()
    PICTURE.parent.mkdir(exist_ok=True)
    size = PICTURE.write_bytes(small(picture))
    print(f"{PICTURE.relative_to(ROOT)}: {size / 1000:.0f} kB")


def small(png):
    """Keep 255 colours of a screenshot, which no one can tell from all of them.

    Parameters
    ----------
    png : bytes
        A PNG file.

    Returns
    -------
    bytes
        A smaller one.
    """
    file = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(255, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    return file.getvalue()


if __name__ == "__main__":
    main()
