"""What the tests of widgets read from a page."""

import json


def shown(page, name):
    """Read a number, or what else a widget says beside its picture, in full precision."""
    return json.loads(page.locator(f'.mw-sums [data-name="{name}"]').get_attribute("data-value"))
