"""The colour scale of weights: the same in Python's pictures, on pages and in notebooks."""

# Every eighth colour of viridis (van der Walt and Smith, 2015), which is perceptually uniform; those between are
# interpolated and lie within 2/255 of the original.
VIRIDIS = [
    "#440154", "#470d60", "#48186a", "#482374", "#472d7b", "#453781", "#424086", "#3e4989", "#3b528b", "#375b8d",
    "#33638d", "#2f6b8e", "#2c728e", "#297a8e", "#26828e", "#23898e", "#21918c", "#1f978b", "#1f9f88", "#21a685",
    "#27ad81", "#31b57b", "#3dbc74", "#4cc26c", "#5cc863", "#6ece58", "#81d34d", "#95d840", "#aadc32", "#c0df25",
    "#d5e21a", "#eae51a", "#fde725",
]  # fmt: skip


def colour(weight):
    """Give a weight its colour.

    Parameters
    ----------
    weight : float
        From 0 to 1; what lies outside gets the colour of the nearer end.

    Returns
    -------
    str
        A colour as ``#rrggbb``.
    """
    position = min(max(weight, 0.0), 1.0) * (len(VIRIDIS) - 1)
    low = min(int(position), len(VIRIDIS) - 2)
    pairs = zip(_channels(VIRIDIS[low]), _channels(VIRIDIS[low + 1]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * (position - low)):02x}" for a, b in pairs)


def ink_on(background):
    """Choose black or white, whichever can be read better.

    Parameters
    ----------
    background : str
        A colour as ``#rrggbb``.

    Returns
    -------
    str
        The other colour; the contrast is at least 4.5 to 1.

    References
    ----------
    W3C, *Web Content Accessibility Guidelines 2.1*, "relative luminance" and "contrast ratio".
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _fractions(background)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"


def _channels(text):
    return [int(text[i : i + 2], 16) for i in (1, 3, 5)]


def _fractions(text):
    return [value / 255 for value in _channels(text)]
