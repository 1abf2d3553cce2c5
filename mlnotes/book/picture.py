"""Take the picture of the book that README.md shows: ``make picture``, after the book was built."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "_build/html/chapters/attention/self_attention.html"
PICTURE = ROOT / "chapters/images/book.png"
WIDTH, HEIGHT, ABOVE = 1300, 900, 70  # pixels; ABOVE the widget, the page's own header
CELL = '[role=gridcell][data-i="4"][data-j="10"]'  # how the first "bar" sees the second


def main():
    """Open PAGE, lock a cell of its first heat map, and write PICTURE."""
    from playwright.sync_api import sync_playwright

    from mlnotes.book.browser import launch

    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(PAGE.as_uri())
        widget = page.locator(".mlnotes-widget").first
        widget.locator(CELL).click()
        page.mouse.move(0, 0)
        widget.evaluate("(element, above) => scrollBy(0, element.getBoundingClientRect().top - above)", ABOVE)
        page.wait_for_timeout(500)  # the header folds, fonts settle
        PICTURE.parent.mkdir(exist_ok=True)
        size = len(page.screenshot(path=PICTURE))
        browser.close()
    print(f"{PICTURE.relative_to(ROOT)}: {size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
