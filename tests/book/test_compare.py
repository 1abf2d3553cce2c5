"""Every change in an output is noticed, whatever its kind; noise is not."""

import asyncio
import base64
import copy
import io
import json
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import execnet
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from nbformat.v4 import new_code_cell, new_notebook, new_output
from PIL import Image

from mlnotes.book import plugin
from mlnotes.book.canonical import ROOT, execute, notebooks
from mlnotes.book.compare import WIDGET_VIEW, cell_differences, differences, is_compared, merged
from mlnotes.book.kernel import forked_kernels
from mlnotes.book.sampling import EVERY, sample
from mlnotes.diagnosis.report import EVIDENCE, Evidence

SOURCES = {
    "setup": """
        import io, sys, uuid
        import matplotlib.pyplot as plt, numpy as np
        from IPython.display import display
        from matplotlib.figure import Figure
        x = np.linspace(0, 1, 200)
        def plot(shift):
            fig, ax = plt.subplots(figsize=(5, 3))
            ax.set(xlim=(0, 1), ylim=(0, 1))
            ax.plot(x, x**2 + shift, color="0.7", linewidth=0.5)
        def draw(shift=0, color="0.7", cmap="viridis", marker="o", tick="0.25", **text):
            figure, file = Figure(figsize=(5, 3)), io.StringIO()
            ax, beside = figure.subplots(1, 2)
            ax.set_xticks([0.25, 1 / 3], [tick, "one third"])
            ax.plot(x, x**2 + shift, color=color, linewidth=0.5)
            ax.plot(x[::20], x[::20] / 3 + shift, marker, color=color)
            ax.bar([0.2], [0.3 + shift], hatch="/")
            beside.imshow(np.eye(3), cmap=cmap)
            with plt.rc_context({"svg.fonttype": "none"}):
                figure.savefig(file, format="svg", metadata=text)
            display({"image/svg+xml": file.getvalue(), "text/plain": "Figure"}, raw=True)
        def widget(tau, tokens=3):
            state = f'{{"tau": {tau!r}, "tokens": {tokens}, "name": "bar"}}'
            html = f'<b>0.125</b> <script type="application/json">{state}</script>'
            view = {"model_id": uuid.uuid4().hex}
            data = {"text/plain": "Widget()", "text/html": html, "application/vnd.jupyter.widget-view+json": view}
            display(data, raw=True)""",
    "text": "print('array of shape (3, 2), mean 0.12345678, 7 rows')",
    "noise": "print(0.1 + 0.2, np.array([0.0, 0.5]))",
    "value": "np.sum([0.1, 0.2, 0.3])",
    "shown value": "display(np.sum([0.1, 0.2, 0.3]))",
    "semicolon": "np.pi;",
    "figure": "plot(0)",
    "moved by 1e-9": "plot(1e-9)",
    "moved by 5 %": "plot(0.05)",
    "another": "fig, ax = plt.subplots(figsize=(5, 3)); ax.set(xlim=(0, 1), ylim=(0, 1)); ax.hist(x, density=True);",
    "drawing": "draw()",
    "drawing moved by 1e-9": "draw(1e-9)",
    "drawing moved by 5 %": "draw(0.05)",
    "drawing in another colour": "draw(color='0.6')",
    "drawing with another picture": "draw(cmap='magma')",
    "drawing with another marker": "draw(marker='s')",
    "drawing with a wrong tick": "draw(tick='0.26')",
    "drawing of another day": "draw(Date='2020-01-01', Creator='hand')",
    "widget": "widget(0.1 + 0.2)",
    "json": "display({'application/json': {'rows': [{'error': 1e-12, 'n': 7, 'one': 1}]}}, raw=True)",
    "evidence": """
        from mlnotes.diagnosis.report import Evidence
        row = {"function": "f", "claim": "a", "kind": "oracle", "error": 3e-16, "tolerance": 1e-12, "why": "because"}
        Evidence((row,))""",
    "order": "print('first'); display(0.125); print('last'); print('aside', file=sys.stderr)",
    "rewriting": "shown = display(0.125, display_id=True); shown.update(0.125);",
    "clearing": "from IPython.display import clear_output; clear_output()",
    "error": "raise ValueError('needs 3 columns, got 2')",
}


def sub(pattern, replacement):
    """Change the text of the first output, in whichever part it stands."""

    def change(outputs, _):
        data = outputs[0].get("data", outputs[0])
        before = copy.deepcopy(data)
        for key in ("text", "text/plain", "text/html", "evalue"):
            if key in data:
                data[key] = data[key].replace(pattern, replacement)
        assert data != before

    return change


def put(*path):
    """Set an entry of the outputs; the last element of the path is its new value."""

    def change(outputs, _):
        for key in path[:-2]:
            outputs = outputs[key]
        assert path[-2] not in outputs or repr(outputs[path[-2]]) != repr(path[-1])  # 1 and True are equal
        outputs[path[-2]] = path[-1]

    return change


def take_from(other):
    return lambda outputs, all_outputs: outputs.__setitem__(slice(None), copy.deepcopy(all_outputs[other]))


def reencode(outputs, _):
    [mime] = outputs[0].data.keys() - {"text/plain"}
    [picture] = re.findall(r"iVBORw[\w+/=]+", outputs[0].data[mime])
    file = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(picture))).save(file, "png", compress_level=1)
    changed = base64.b64encode(file.getvalue()).decode()
    assert changed != picture
    outputs[0].data[mime] = outputs[0].data[mime].replace(picture, changed)


def rewrite(outputs, _):
    """Print coordinates with another number of digits, and name markers, clips and hatches otherwise."""
    svg = outputs[0].data["image/svg+xml"]
    changed = re.sub(r"\d+\.\d{5,6}(?=[ \"])", lambda it: f"{float(it[0]) + 1e-6:.7f}", svg)
    changed = re.sub(r'(?<=[#"])([mph])([0-9a-f]{10})\b', lambda it: it[1] + it[2][::-1], changed)
    assert len(set(svg.splitlines()) - set(changed.splitlines())) > 100
    outputs[0].data["image/svg+xml"] = changed


def rechunk(outputs, _):
    text = outputs[0].text
    outputs[:1] = [new_output("stream", name="stdout", text=piece) for piece in (text[:9], text[9:])]


JSON = "application/json"


def measured_again(error):
    """Give another error to the committed evidence, as another processor would have."""

    def alter(outputs, _):
        rows = [{**outputs[0].data[EVIDENCE].rows[0], "error": error}]
        outputs[0].data.update(nbformat.from_dict(Evidence(tuple(rows))._repr_mimebundle_()))

    return alter


ALTERATIONS = {
    "a wrong last digit": ("text", sub("0.12345678", "0.12345679"), "0.12345679"),
    "a changed integer": ("text", sub("7 rows", "8 rows"), "line 1"),
    "a changed shape": ("text", sub("(3, 2)", "(2, 3)"), "(2, 3)"),
    "a changed word": ("text", sub("mean", "sum"), "sum"),
    "a changed sign": ("noise", sub("0.5", "-0.5"), "-0.5"),
    "a blank more in text": ("text", sub(", mean ", ", mean  "), "mean  "),
    "a value that is now an integer": ("value", sub("np.float64(0.6", "np.float64(0"), "text/plain"),
    "a missing output": ("text", lambda outputs, _: outputs.clear(), "0 outputs are committed"),
    "an extra output": ("text", lambda outputs, _: outputs.append(outputs[0] | {"name": "stderr"}), "2 outputs"),
    "a value committed that a semicolon hides": ("semicolon", take_from("value"), "1 outputs are committed"),
    "outputs in another order": ("order", lambda outputs, _: outputs.insert(0, outputs.pop(1)), "its type"),
    "another stream": ("text", put(0, "name", "stderr"), "stdout: came now"),
    "a value that is now displayed": ("value", take_from("shown value"), "its type"),
    "another figure": ("figure", take_from("another"), "the figures differ"),
    "a curve moved by 5 %": ("figure", take_from("moved by 5 %"), "the figures differ"),
    "a figure that cannot be read": ("figure", put(0, "data", "image/png", "iVBORw0KGgo="), "no picture"),
    "another drawing": ("drawing", put(0, "data", "image/svg+xml", "<svg></svg>"), "image/svg+xml"),
    "a curve of a drawing moved by 5 %": ("drawing", take_from("drawing moved by 5 %"), "image/svg+xml, tag"),
    "another colour in a drawing": ("drawing", take_from("drawing in another colour"), "image/svg+xml, tag"),
    "another picture in a drawing": ("drawing", take_from("drawing with another picture"), "the figures differ"),
    "another marker in a drawing": ("drawing", take_from("drawing with another marker"), "image/svg+xml, tag"),
    "a wrong tick in a drawing": ("drawing", take_from("drawing with a wrong tick"), "0.26"),
    "a changed number in a widget": ("widget", sub("0.30000000000000004", "0.31"), "$.tau"),
    "a changed integer in a widget": ("widget", sub('"tokens": 3', '"tokens": 4'), "$.tokens"),
    "a float beside an integer in a widget": ("widget", sub('"tokens": 3', '"tokens": 3.0000000001'), "$.tokens"),
    "a truth value for a number in JSON": ("json", put(0, "data", JSON, "rows", 0, "one", True), "$.rows[0].one"),
    "a changed word in a widget": ("widget", sub("bar", "baz"), "$.name"),
    "a changed number beside a widget": ("widget", sub("<b>0.125", "<b>0.126"), "0.126"),
    "a mime type less": ("widget", lambda outputs, _: outputs[0].data.pop("text/html"), "text/html: came now"),
    "a mime type more": ("value", put(0, "data", {"text/plain": "0.6", "text/html": "0.6"}), "did not come now"),
    "an unknown mime type": ("value", put(0, "data", {"text/plain": "0.6", "x/y": "0.6"}), "x/y: is committed"),
    "changed metadata": ("value", put(0, "metadata", {"isolated": True}), "metadata: is committed"),
    "a changed number in JSON": ("json", put(0, "data", JSON, "rows", 0, "error", 1.1e-12), "$.rows[0].error"),
    "a changed integer in JSON": ("json", put(0, "data", JSON, "rows", 0, "n", 8), "$.rows[0].n"),
    "a row more in JSON": ("json", put(0, "data", JSON, "rows", [{"error": 1e-12, "n": 7, "one": 1}, {}]), "$.rows"),
    "a key less in JSON": ("json", put(0, "data", JSON, "rows", 0, {"n": 7, "one": 1}), "the keys of $.rows[0]"),
    "an error beyond its tolerance": ("evidence", measured_again(2e-12), "2e-12"),
    "a changed claim": ("evidence", put(0, "data", EVIDENCE, "rows", 0, "claim", "b"), "claim"),
    "a changed tolerance": ("evidence", put(0, "data", EVIDENCE, "rows", 0, "tolerance", 1e-11), "tolerance"),
    "a table that does not show what was measured": ("evidence", sub("3e-16", "2e-16"), "largest error"),
    "another error": ("error", put(0, "ename", "TypeError"), "TypeError"),
    "another message of an error": ("error", sub("got 2", "got 1"), "got 1"),
    "an output that is changed later": ("rewriting", lambda *_: None, "update_display_data: an output must not change"),
    "outputs that are cleared": ("clearing", lambda *_: None, "clear_output: an output must not change later"),
    "an error that does not come": ("text", take_from("error"), "its type"),
}

NOISE = {
    "nothing": ("text", lambda *_: None),
    "the last bit of a number": ("noise", sub("0.30000000000000004", "0.3")),
    "the last bit of a value": ("value", sub("0.6", "0.6000000000000001")),
    "noise in place of zero, and what it does to an array": ("noise", sub("[0.  0.5]", "[-1.e-17  5.e-01]")),
    "a stream in pieces": ("text", rechunk),
    "another execution count": ("value", lambda outputs, _: outputs[0].update(execution_count=99)),
    "stderr before stdout": ("order", lambda outputs, _: outputs.append(outputs.pop(2))),
    "a curve moved by 1e-9": ("figure", take_from("moved by 1e-9")),
    "a figure in a larger file": ("figure", reencode),
    "a drawing moved by 1e-9": ("drawing", take_from("drawing moved by 1e-9")),
    "a drawing of another day": ("drawing", take_from("drawing of another day")),
    "other digits and other names in a drawing": ("drawing", rewrite),
    "a picture in a drawing in a larger file": ("drawing", reencode),
    "a whole number as a browser writes it": ("json", put(0, "data", JSON, "rows", 0, "one", 1.0)),
    "the last bit of a number in a widget": ("widget", sub("0.30000000000000004", "0.3")),
    "the random id of a widget": ("widget", put(0, "data", WIDGET_VIEW, {"model_id": "4f0c"})),
    "the last bit of a number in JSON": ("json", put(0, "data", JSON, "rows", 0, "error", 1e-12 * (1 + 1e-15))),
    "an error that another processor makes": ("evidence", measured_again(7e-15)),
    "an error that another processor does not make": ("evidence", measured_again(0.0)),
    "another traceback": ("error", put(0, "traceback", ["line 5 of /tmp/1.py"])),
}


def cell(name, **arguments):
    lines = [line.removeprefix(" " * 8) for line in SOURCES[name].strip().splitlines()]
    tags = {"tags": ["raises-exception"]} if name == "error" else {}
    return new_code_cell("\n".join(lines), metadata=tags, execution_count=1, **arguments)


class Sendable:
    """Fails where a report could not be sent, as pytest-xdist sends it from one process to another."""

    def pytest_configure(self, config):
        self.config = config

    def pytest_runtest_logreport(self, report):
        execnet.dumps(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))


def compare(folder, *options):
    """Run the notebooks of a folder; return (outcome, message) by notebook and cell number, and the exit status.

    In this process: others would load pytest again, and the libraries of the kernels.
    """
    report = folder / "report.xml"
    arguments = ["-c", ROOT / "pyproject.toml", f"--rootdir={folder}", "--nbval", "-p", "no:cacheprovider"]
    arguments += [f"--junitxml={report}", folder, *options]
    status = pytest.main([*map(str, arguments)], plugins=[Sendable()])
    assert report.exists(), "what pytest says is printed below"
    outcomes = {}
    for case in ET.parse(report).iter("testcase"):
        bad = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        key = case.get("classname").split(".")[0] or case.get("name"), case.get("name").split()[-1]
        outcomes[key] = ("passed", "") if bad is None else (bad.tag, f"{bad.get('message')}\n{bad.text}")
    return outcomes, status


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Run two notebooks as `make test` does: in one each output is altered, in the other it is noise that differs."""
    base, folder, slow = (tmp_path_factory.mktemp(name) for name in ("base", "altered", "slow"))
    cells = [new_code_cell("import time; time.sleep(60)", execution_count=1), new_code_cell("1", execution_count=2)]
    nbformat.write(new_notebook(cells=cells), slow / "slow.ipynb")
    nbformat.write(new_notebook(cells=[cell(name) for name in SOURCES]), base / "base.ipynb")
    with forked_kernels("import matplotlib"):
        cells = asyncio.run(execute(base / "base.ipynb")).cells
    outputs = {name: it.outputs for name, it in zip(SOURCES, cells, strict=True)}
    for kind, cases in (("altered", ALTERATIONS), ("noise", NOISE)):
        cells = [cell("setup")]
        for name, change, *_ in cases.values():
            changed = copy.deepcopy(outputs[name])
            change(changed, outputs)
            cells.append(cell(name, outputs=nbformat.from_dict(changed)))
        nbformat.write(new_notebook(cells=cells), folder / f"{kind}.ipynb")
    return compare(folder)[0] | compare(slow, "--nbval-cell-timeout=1")[0]


@pytest.mark.parametrize("case", ALTERATIONS)
def test_a_notebook_fails_for(case, outcomes):
    outcome, message = outcomes["altered", str(1 + list(ALTERATIONS).index(case))]
    assert outcome == "failure"
    assert "Cell outputs differ" in message
    assert ALTERATIONS[case][-1] in message


@pytest.mark.parametrize("case", NOISE)
def test_a_notebook_passes_in_spite_of(case, outcomes):
    assert outcomes["noise", str(1 + list(NOISE).index(case))] == ("passed", "")


def test_every_cell_was_run(outcomes):
    assert outcomes["altered", "0"][0] == outcomes["noise", "0"][0] == "passed"
    assert len(outcomes) == len(ALTERATIONS) + len(NOISE) + 4


def test_cells_after_one_that_takes_too_long_fail_too(outcomes):
    assert "Timeout of 1 seconds" in outcomes["slow", "0"][1]
    assert outcomes["slow", "1"][0] in ("failure", "error")
    assert "an earlier cell ran out of time" in outcomes["slow", "1"][1]


REFUSED = {
    "skip": new_code_cell("# NBVAL_SKIP\nprint(1)", execution_count=1),
    "ignore": new_code_cell("1\n  ## NBVAL_IGNORE_OUTPUT", execution_count=1),
    "old": new_code_cell("# PYTEST_VALIDATE_IGNORE_OUTPUT\n1", execution_count=1),
    "check": new_code_cell("# NBVAL_CHECK_OUTPUT\n1", execution_count=1),
    "raises": new_code_cell("# NBVAL_RAISES_EXCEPTION\n1/0", execution_count=1),
    "tag_skip": new_code_cell("print(1)", execution_count=1, metadata={"tags": ["nbval-skip"]}),
    "tag_ignore": new_code_cell("1", execution_count=1, metadata={"tags": ["hide-input", "nbval-ignore-output"]}),
    "not_run": new_code_cell("print(1)"),
}


def test_what_would_keep_a_cell_from_being_compared_is_an_error(tmp_path):
    for name, refused in REFUSED.items():
        nbformat.write(new_notebook(cells=[refused]), tmp_path / f"{name}.ipynb")
    found, status = compare(tmp_path, "--collect-only", "--continue-on-collection-errors")
    assert status != 0
    assert len(found) == len(REFUSED)
    assert all(outcome == "error" for outcome, _ in found.values())
    messages = "".join(message for _, message in found.values())
    assert messages.count("is not allowed: every output is compared") == len(REFUSED) - 1
    assert messages.count("it has no execution count") == 1


@pytest.mark.parametrize("option", ["nbval_lax", "nbval_sanitize_with", "sanitize_with"])
def test_options_that_compare_less_are_errors(option):
    with pytest.raises(pytest.UsageError, match="compares less than everything"):
        plugin.pytest_configure(SimpleNamespace(option=SimpleNamespace(**{option: "file"})))


def test_all_code_cells_of_the_book_are_collected(capfd):
    options = ["--nbval", "--collect-only", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    assert pytest.main([*options, str(ROOT / "chapters")]) == 0
    code = sum(it.cell_type == "code" for path in CHAPTERS for it in nbformat.read(path, 4).cells)
    assert len(re.findall(r"ipynb::Cell \d+", capfd.readouterr().out)) == code > 0


# Each part of an output, compared on its own.


def text(was, now, mime="text/plain"):
    return bool(differences(new_output("display_data", {mime: was}), new_output("display_data", {mime: now})))


@pytest.mark.parametrize(
    ("was", "now", "differs"),
    [
        ("0.3", "0.30000000000000004", False),
        ("0.33333333", "0.33333334", True),
        ("1e-17", "-3.2e-16", False),
        ("1e-13", "2e-13", True),
        ("-0.", "0.", False),
        ("[ 0.5 -1.e-17]", "[0.5 1.e-17]", False),
        ("[[ 0.5]\n [-1e-17]]", "[[0.5]\n [1e-17]]", False),
        ("[0.5]\n[0.5]", "[0.5] [0.5000000000000001]", True),
        ("nan 0.3", "nan 0.30000000000000004", False),
        ("nan", "0.0", True),
        ("inf", "-inf", True),
        ("inf", "1e+308", True),
        ("0.5", "5e-01", False),
        ("1.0", "1", True),
        ("1.", "2.", True),
        ("12345678901.", "12345678902.", True),  # an integer at the end of a sentence
        ("12345678901.5", "12345678901.500001", False),
        ("123456789012345", "123456789012346", True),
        ("x1.5", "x1.6", True),
        ("#1e5a1b", "#1e5a1c", True),
        ("#0e1234", "#0e1235", True),
        ("torch.float32", "torch.float64", True),
        ("0.5 a", "0.5  a", True),
        ("(0.5, 0.25)", "(0.5; 0.25)", True),
        ("1.5 2.5", "1.5 2.5 3.5", True),
        ("0.6+0.8j", "0.6000000000000001+0.8j", False),
        ("0.6+0.8j", "0.6+0.9j", True),
    ],
)
def test_text(was, now, differs):
    assert text(was, now) == text(now, was) == differs


SVG = """<svg width="{width}"><defs><path id="m{one}" d="M10.5-3L{x} 6"/><path id="m{two}" d="M0 1"/></defs>
<use xlink:href="#m{used}" style="fill: {fill}; opacity: {opacity}"/><text>{label}</text></svg>{more}"""
AS_IT_WAS = {"width": "10", "x": "4.0", "label": "0.43", "more": "", "fill": "#1e50b0", "opacity": "0.7"}
ONE, TWO, OTHER = "0123456789", "abcdef0123", "fedcba9876"


@pytest.mark.parametrize("mime", ["image/svg+xml", "text/html"])
@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"x": "4.009"}, False),
        ({"x": "4"}, False),
        ({"x": "3.9999990"}, False),
        ({"one": OTHER, "used": OTHER}, False),
        ({"one": TWO, "two": ONE}, True),
        ({"used": TWO}, True),
        ({"used": OTHER}, True),
        ({"fill": "#1e50b1"}, True),
        ({"fill": "#1e50b00"}, True),
        ({"fill": "none"}, True),
        ({"x": "4.02"}, True),
        ({"width": "10.02"}, True),
        ({"opacity": "0.700001"}, False),
        ({"opacity": "0.701"}, True),
        ({"label": "0.4301"}, True),
        ({"more": "<g></g>"}, True),
    ],
)
def test_svg_alone_and_in_html(mime, change, differs):
    def make(**values):
        picture = SVG.format(**AS_IT_WAS | {"one": ONE, "two": TWO, "used": ONE} | values)
        data = base64.b64encode(picture.encode()).decode()
        return picture if mime == "image/svg+xml" else f'<img src="data:image/svg+xml;base64,{data}" alt="x">'

    assert text(make(), make(**change), mime) == differs


@pytest.mark.parametrize(("last", "differs"), [("1.5 2", False), ("1.5 3", True)])
def test_a_level_line_that_ends_where_it_began_is_closed_or_not(last, differs):
    line = f'<svg><path d="M 1.5 2 \nL 3 4 \nL 5 4 \nL {last} \n'
    assert text(line + 'z\n"/></svg>', line + '"/></svg>', "image/svg+xml") == differs


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "png", compress_level=1)
    return base64.b64encode(file.getvalue()).decode()


def test_pictures():
    white = np.full((401, 601, 3), 255)
    dot, grey, noise = white.copy(), white - 1, white - np.random.default_rng(0).integers(0, 2, white.shape)
    dot[400, 600] = 200
    assert text(png(white), png(dot), "image/png"), "one pixel in the corner"
    assert text(png(white), png(grey), "image/png"), "all pixels a little"
    assert not text(png(white), png(np.where(np.arange(601)[:, None] % 7, white, noise)), "image/png")
    assert text(png(white), png(white[:, :-1]), "image/png"), "another size"
    assert text(
        f'<img src="data:image/png;base64,{png(white)}">', f'<img src="data:image/png;base64,{png(dot)}">', "text/html"
    )


def test_one_thin_line_that_moves_by_five_percent_in_a_big_figure_is_noticed_and_noise_is_not():
    def draw(shift):
        figure = Figure(figsize=(14, 10))
        ax = figure.add_subplot(xlim=(0, 1), ylim=(0, 1))
        ax.plot([0, 1], [0.4 + shift] * 2, linewidth=0.5, alpha=0.3)
        for slope in range(1, 9):
            ax.plot([0, 1], [shift / 1e5, slope / 9 + shift / 1e5], linewidth=1.5)
        ax.imshow(np.random.default_rng(0).random((7, 11)) + shift / 1e5, extent=(0.6, 0.9, 0.1, 0.3))
        file = io.BytesIO()
        figure.savefig(file)
        return base64.b64encode(file.getvalue()).decode()

    assert text(draw(0), draw(0.05), "image/png")
    assert not text(draw(0), draw(1e-7), "image/png")


def test_a_widget_whose_state_is_no_json_is_compared_as_text():
    was, now = (f'<script type="application/json">{{broken {word}</script>' for word in ("bar", "baz"))
    assert text(was, now, "text/html")
    assert not text(was, was, "text/html")


def test_an_output_of_which_nothing_is_left_does_not_count_as_compared():
    assert not is_compared(new_output("display_data", {WIDGET_VIEW: {"model_id": "4f0c"}}))
    assert is_compared(new_output("display_data", {WIDGET_VIEW: {"model_id": "4f0c"}, "text/plain": ""}))


def test_merging_leaves_its_input_as_it_is():
    outputs = [new_output("stream", text=text) for text in "ab"]
    outputs += [new_output("display_data", {WIDGET_VIEW: {}}), new_output("error", traceback=["/tmp/1.py"])]
    before = copy.deepcopy(outputs)
    assert [it.get("text") for it in merged(outputs)] == ["ab", None, None]
    assert outputs == before


# The proof that all outputs of the book are compared: a change of any of them is reported.

CHAPTERS = notebooks(ROOT / "chapters")
TOKEN = re.compile(r"[^\W\d]|[-+]?\d+(?:\.\d*)?(?:[eE][-+]\d+)?")
SCRIPT = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
IMAGE = re.compile(r"data:(image/[\w+]+);base64,\s*([\w+/=]+)")


def tokens(string):
    """Find the letters and numbers of a text that stand in no script and in no picture."""
    at = 0
    for start, end in sorted(found.span() for pattern in (SCRIPT, IMAGE) for found in pattern.finditer(string)):
        yield from TOKEN.finditer(string, at, start)
        at = end
    yield from TOKEN.finditer(string, at)


def altered_texts(string, most=15):
    """Change a letter, or a number by much, at places all over a text."""
    spans = [token.span() for token in tokens(string)]
    for start, end in spans[:: len(spans) // most + 1]:
        token = string[start:end]
        new = "zq"[token == "z"] if token.isalpha() else "888" if token == "777" else "777"
        yield string[:start] + new + string[end:]


def altered_html(html):
    """Yield pairs: the page and the page with one change, or both with only as much of the data as has the change."""
    yield from ((html, text) for text in altered_texts(html))
    for script in SCRIPT.finditer(html):
        pairs = list(altered_data(json.loads(script[1])))
        for pair in pairs[:: len(pairs) // 15 + 1]:  # each of them is tried on its own, by `with_data`
            yield tuple(html[: script.start(1)] + json.dumps(data) + html[script.end(1) :] for data in pair)
    yield from ((html, it) for it in altered_images(html))


def altered_images(html):
    """Change each picture in a page or in a drawing at several places."""
    for image in IMAGE.finditer(html):
        if image[1] == "image/svg+xml":
            svgs = altered_svg(base64.b64decode(image[2]).decode())
            changed = (base64.b64encode(svg.encode()).decode() for svg in svgs)
        else:
            changed = altered_pictures(image[2])
        yield from (html[: image.start(2)] + picture + html[image.end(2) :] for picture in changed)


def altered_svg(svg):
    yield from altered_texts(svg)
    yield from altered_images(svg)


def altered_pictures(data):
    """Change a few pixels by half of the scale, in corners and in between."""
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))
    height, width = pixels.shape[:2]
    for row, column in (0, 0), (height // 2, width // 3), (height - 5, width - 5):
        changed = pixels.copy()
        changed[row : row + 5, column : column + 5, :3] += 128  # which begins again after 255
        yield png(changed)


def altered_data(value):
    """Yield pairs that differ in one value, changed or left out, at places all over a structure.

    What stands beside that place is None in both, so that thousands of pairs of a big structure stay small.
    """
    if isinstance(value, dict):
        beside = dict.fromkeys(value)
        for key in value:
            yield beside, {k: None for k in value if k != key}
            yield from (({**beside, key: was}, {**beside, key: now}) for was, now in altered_data(value[key]))
    elif isinstance(value, list):
        beside = [None] * len(value)
        yield beside, [*beside, None]
        for i in range(0, len(value), len(value) // 10 + 1):
            for pair in altered_data(value[i]):
                yield tuple([*beside[:i], it, *beside[i + 1 :]] for it in pair)
    elif isinstance(value, bool) or value is None or isinstance(value, str):
        yield value, f"{value}."
    else:
        yield value, value + 1 + abs(value)


def with_data(output):
    """List an output and, as outputs of their own, the data that its page holds."""
    scripts = SCRIPT.finditer(output.get("data", {}).get("text/html", ""))
    return [output, *(new_output("display_data", {"application/json": json.loads(it[1])}) for it in scripts)]


def altered_outputs(output):
    """Yield pairs of outputs: as it is, or with less data, and with one change, from every part of it."""
    if output.output_type == "stream":
        yield from ((output, {**output, "text": text}) for text in altered_texts(output.text))
        yield output, {**output, "name": "stderr" if output.name == "stdout" else "stdout"}
    elif output.output_type == "error":
        for key in ("ename", "evalue"):
            yield from ((output, {**output, key: text}) for text in altered_texts(output[key]))
    else:
        for mime, data in output.data.items():
            yield output, {**output, "data": {key: value for key, value in output.data.items() if key != mime}}
            if mime == "text/html":
                pairs = altered_html(data)
            elif not isinstance(data, str):
                pairs = altered_data(data)
            else:
                alter = altered_texts
                if mime == "image/svg+xml":
                    alter = altered_svg
                elif mime.startswith("image/"):
                    alter = altered_pictures
                pairs = ((data, it) for it in alter(data))
            yield from (tuple({**output, "data": {**output.data, mime: it}} for it in pair) for pair in pairs)


@pytest.mark.parametrize("path", sample(CHAPTERS, EVERY // 8, lambda path: path.stem), ids=lambda path: path.stem)
def test_a_change_in_any_output_of_the_book_is_reported(path):
    for cell in nbformat.read(path, 4).cells:
        for output in cell.get("outputs", []):
            assert is_compared(output)
            assert cell_differences([output], [output]) == []
            noticed = [bool(differences(*pair)) for it in with_data(output) for pair in altered_outputs(it)]
            assert noticed
            assert all(noticed), f"cell {cell.id}: {noticed.count(False)} of {len(noticed)} changes are not reported"
