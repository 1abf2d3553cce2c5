"""What the tests of widgets read from a page."""

import json
import re

import numpy as np


def shown(page, name):
    """Read a number, or what else a widget says beside its picture, in full precision."""
    return json.loads(page.locator(f'.mw-sums [data-name="{name}"]').get_attribute("data-value"))


def drawn(page, selector, *names):
    """Read numbers that say where the elements of a drawing stand: one row for each element."""
    code = "(all, names) => all.map(it => names.map(name => Number(it.getAttribute(name))))"
    return np.array(page.locator(selector).evaluate_all(code, names))


def corners(page, selector):
    """Read the places that each path, polygon or polyline of a drawing leads through."""
    code = "all => all.map(it => it.getAttribute('d') ?? it.getAttribute('points'))"
    places = [re.findall(r"-?[\d.]+(?:e-?\d+)?", it) for it in page.locator(selector).evaluate_all(code)]
    return [np.reshape(it, (-1, 2)).astype(float) for it in places]
