"""Chapters in a real JupyterLab: readable before they run, two-way with Python after, and unchanged when saved."""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import jupyter_client
import nbformat
import pytest

from mlnotes.book.form import canonical, read, written

pytestmark = pytest.mark.publishing

CHAPTERS = Path(__file__).parents[2] / "chapters"
CHAPTER = CHAPTERS / "attention" / "self_attention.ipynb"
LAST = "next(w for w in ipywidgets.widgets.widget._instances.values() if type(w).__mro__[1].__name__ == 'AttentionMap')"
START = 120  # seconds, for a server or a kernel on a busy machine


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Start a JupyterLab server on a folder of its own, with settings of its own; kill it whatever happens."""
    tmp_path = tmp_path_factory.mktemp("lab")
    folders = {name: tmp_path / name for name in ("work", "config", "data", "runtime", "lab", "ipython")}
    for folder in folders.values():
        folder.mkdir()
    inherited = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment = inherited | {
        "JUPYTER_CONFIG_DIR": str(folders["config"]),
        "JUPYTER_DATA_DIR": str(folders["data"]),
        "JUPYTER_RUNTIME_DIR": str(folders["runtime"]),
        "JUPYTERLAB_SETTINGS_DIR": str(folders["lab"]),
        "IPYTHONDIR": str(folders["ipython"]),
    }
    token = secrets.token_hex(16)
    options = {
        "ServerApp.port": 0,  # one that is free, as the server says in a file
        "IdentityProvider.token": token,
        "ServerApp.root_dir": folders["work"],
        "ServerApp.open_browser": False,
        "LabApp.workspaces_dir": folders["lab"],
    }
    command = [sys.executable, "-m", "mlnotes.book.lab", *(f"--{name}={value}" for name, value in options.items())]
    with (tmp_path / "log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            yield Lab(token, folders["work"], folders["runtime"], server, tmp_path / "log")
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(20)


@pytest.fixture
def lab(server):
    """Give the server without a file or a kernel of another test."""
    yield server
    for kernel in server.get("/api/kernels"):
        server.get(f"/api/kernels/{kernel['id']}", method="DELETE")
    shutil.rmtree(server.folder)
    server.folder.mkdir()


class Lab:
    """A running server, and what the kernel of its one notebook knows."""

    def __init__(self, token, folder, runtime, server, log):
        self.token, self.folder, self.runtime = token, folder, runtime
        said = runtime / f"jpserver-{server.pid}.json"

        def words():
            return log.read_text(encoding="utf-8")[-3000:]

        wait_until(lambda: said.exists() and said.read_text(encoding="utf-8"), START, words, server)
        port = json.loads(said.read_text(encoding="utf-8"))["port"]
        self.url = f"http://127.0.0.1:{port}"
        wait_until(lambda: self.get("/api/status") is not None, START, words, server)

    def get(self, path, method="GET"):
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(self.url + path, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return json.loads(answer.read() or "null")
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None

    def open(self, page, name):
        workspace = Path(name).stem  # of its own: it would bring back what another test had open
        page.goto(f"{self.url}/lab/workspaces/{workspace}/tree/{name}?token={self.token}")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell")
        page.get_by_text("| Idle").wait_for()  # a notebook that runs before it has its kernel asks which one to take

    def evaluate(self, expression):
        """Evaluate an expression of `w`, the map, in the kernel of the notebook."""
        (path,) = self.runtime.glob("kernel-*.json")
        client = jupyter_client.BlockingKernelClient(connection_file=str(path))
        client.load_connection_file()
        client.start_channels(hb=False)  # a heartbeat that begins while it is stopped never ends: jupyter_client 8.10
        try:
            code = f"import ipywidgets\nw = {LAST}"
            reply = client.execute_interactive(
                code, silent=True, store_history=False, user_expressions={"it": expression}, timeout=START,
                output_hook=lambda message: None,
            )  # fmt: skip
        finally:
            client.stop_channels()
        result = reply["content"]["user_expressions"]["it"]
        assert result["status"] == "ok", result
        return result["data"]["text/plain"]


def wait_until(condition, seconds, explain, server=None):
    end = time.monotonic() + seconds
    while not condition():
        assert server is None or server.poll() is None, explain()
        assert time.monotonic() < end, explain()
        time.sleep(0.1)


def chapter():
    """Take the chapter up to its first map with a text box: to train what follows would take half a minute."""
    notebook = nbformat.read(CHAPTER, 4)
    first = next(i for i, cell in enumerate(notebook.cells) if "AttentionMap.from_text" in cell.source)
    del notebook.cells[first + 1 :]
    return notebook


@pytest.fixture(scope="module")
def context(browser):
    """Keep what JupyterLab consists of from page to page, and let pages talk to this machine only."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.route(re.compile("^https?://(?!127[.]0[.]0[.]1)"), lambda route: route.abort())
    yield context
    context.close()


@pytest.fixture
def page(context):
    page = context.new_page()
    page.set_default_timeout(START * 1000)
    yield page
    page.close()


def excerpt(nb):
    """Keep of the chapter on softmax what is quick to run: imports, two citations, the first exercise."""
    gates = [i for i, it in enumerate(nb.cells) if it.cell_type == "markdown" and "{solution-" in it.source]
    exercise = range(gates[0] - 2, gates[1] + 1)
    kept = [it for i, it in enumerate(nb.cells) if i in exercise or re.search("luce1959`, and|guo2017", it.source)]
    nb.cells = [nbformat.v4.new_code_cell("import numpy as np\nfrom mlnotes.checks import check", id="imports"), *kept]
    return canonical(nb)


PROMPTS = "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map((it) => it.textContent)"


def run_all(page):
    """Run all cells. A committed chapter has numbers before it runs: whether it does, its stars must tell."""
    page.evaluate(f"""() => {{
      window.ran = false;
      const look = () => {{ window.ran ||= {PROMPTS}.some((it) => it.includes("*")); }};
      new MutationObserver(look).observe(document.body, {{ subtree: true, childList: true, characterData: true }});
    }}""")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def test_it_opens_on_the_start_page_which_lists_the_chapters_in_the_order_of_the_book(lab, page):
    for name in ("index.md", "references.bib"):
        shutil.copy2(CHAPTERS / name, lab.folder)
    page.goto(f"{lab.url}/?token={lab.token}")
    chapters = page.locator(".jp-RenderedMySTMarkdown li a")
    chapters.first.wait_for()
    assert chapters.all_inner_texts()[:3] == ["Norms", "Dot product", "Matrix product"]
    page.wait_for_timeout(2000)  # in which a prompt would come
    assert page.locator(".Toastify__toast, .jp-Dialog").count() == 0
    assert page.locator(".jp-DirListing-itemText").all_inner_texts() == ["index.md"]


def test_a_chapter_reads_well_keeps_its_solutions_folded_and_is_the_same_file_when_it_was_run_and_saved(lab, page):
    file = lab.folder / "blocks" / "softmax.ipynb"
    file.parent.mkdir()
    before = written(excerpt(read(CHAPTERS / "blocks" / "softmax.ipynb")))
    file.write_text(before, encoding="utf-8")
    lab.open(page, "blocks/softmax.ipynb")
    page.get_by_role("link", name="Guo et al. (2017)").wait_for()

    markdown = "\n".join(page.locator(".jp-MarkdownCell").all_inner_texts())
    assert "independence of irrelevant alternatives (Luce, 1959)" in markdown
    assert not re.search("cite:|solution-|Start of Solution|guo2017", markdown)
    solution = page.locator(".jp-MarkdownCell", has_text="exercise-softmax").filter(has_text="solution-start")
    carries = solution.locator("p").get_by_text("With the maximum subtracted")
    assert not carries.is_visible()
    answer = page.locator(".jp-CodeCell", has_text="def my_softmax(x, axis=-1):").last
    assert answer.locator(".jp-mod-collapsed, .jp-InputPlaceholder").count()
    assert not answer.locator(".mlnotes-check").is_visible()
    stub = page.locator(".mlnotes-check").first
    assert "returns nothing yet" in stub.inner_text()
    assert stub.evaluate("it => getComputedStyle(it).borderLeftWidth") == "3px"
    solution.locator("summary").click()
    carries.wait_for()

    run_all(page)
    page.wait_for_function("window.ran && document.querySelector('.jp-Notebook-ExecutionIndicator[data-status=idle]')")
    for _ in range(START):  # cells out of sight show no star, and between two cells the kernel is idle as well
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1000)
        if file.read_text(encoding="utf-8") == before and not page.locator(".jp-mod-dirty").count():
            break
    assert file.read_text(encoding="utf-8") == before


def test_a_chapter_of_the_book_is_opened_as_it_is_read_and_closed_without_a_question(lab, page):
    page.set_viewport_size({"width": 1024, "height": 800})
    (lab.folder / "attention").symlink_to(CHAPTERS / "attention")  # the book's own file: only that is trusted
    lab.open(page, "attention/self_attention.ipynb")

    page.locator(".jp-RenderedSVG img").first.wait_for()
    page.locator(".katex-display .tag").first.wait_for()  # the book's number of a formula
    seen = page.evaluate("""() => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      const right = (it) => it.getBoundingClientRect().right;
      const figures = all(".jp-RenderedSVG img");
      return {
        figures: figures.length,
        cut: figures.filter((it) => right(it) > right(it.closest(".jp-OutputArea-output")) + 1).length,
        numbered_again: all("[title='Link to this Equation']").filter((it) => it.offsetWidth).length,
        changed: all(".jp-mod-dirty").length,
      };
    }""")
    drawn = CHAPTER.read_text(encoding="utf-8").count('"image/svg+xml"')
    assert seen == {"figures": drawn, "cut": 0, "numbered_again": 0, "changed": 0}
    page.get_by_role("menuitem", name="File", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Close Tab")).click()
    page.locator(".jp-NotebookPanel, .jp-Dialog").first.wait_for(state="hidden")
    assert page.locator(".jp-Dialog").count() == 0


def test_a_chapter_shows_pictures_until_it_runs_and_then_answers_to_python(lab, page):
    nbformat.write(chapter(), lab.folder / "chapter.ipynb")
    lab.open(page, "chapter.ipynb")

    # Opened, neither run nor trusted: the sanitiser has been over the output.
    picture = page.locator("figure img[src^='data:image/svg']").first
    picture.wait_for()
    picture.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector(\"figure img[src^='data:image/svg']\").naturalWidth > 200")
    assert "Attention weights of" in page.locator("figcaption").first.inner_text()
    shown = page.locator(".jp-NotebookPanel").inner_text()
    assert "model not found" not in shown.lower()
    assert "Error displaying widget" not in shown
    assert '"tokens"' not in shown  # the state is no text to read
    assert page.locator(".mw").count() == 0

    # Run all: the widget lives.
    run_all(page)
    live = page.locator(".mw-attention").first
    live.wait_for()
    # Until all cells are done JupyterLab moves the focus from each to the next.
    page.wait_for_function("![...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('*'))")
    assert int(lab.evaluate("len(w.tokens)")) == live.locator("[role=rowheader]").count()

    # The page tells Python.
    slider = live.get_by_label("Temperature")
    slider.evaluate("input => { input.value = -0.5; input.dispatchEvent(new Event('input')); }")
    wait_until(lambda: abs(float(lab.evaluate("w.temperature")) - 10**-0.5) < 1e-9, START, lambda: "w.temperature")
    slider.focus()
    page.keyboard.press("ArrowRight")
    wait_until(lambda: abs(float(lab.evaluate("w.temperature")) - 10**-0.48) < 1e-9, START, lambda: "w.temperature")

    # Keys move in the map, not in the notebook.
    live.locator("[role=gridcell]").first.focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    wait_until(lambda: lab.evaluate("(w.row, w.column)") == "(1, 1)", START, lambda: lab.evaluate("(w.row, w.column)"))
    assert live.locator("[data-step=weight]").is_visible()

    # Python tells the page.
    lab.evaluate("[setattr(w, 'temperature', 3.0), setattr(w, 'causal', True), setattr(w, 'row', 2)]")
    live.get_by_text("T = 3", exact=True).wait_for()
    assert live.get_by_label("Causal").is_checked()
    shown = [float(x) for x in live.locator(".mw-side li").evaluate_all("all => all.map(e => e.dataset.weight)")]
    assert shown == pytest.approx(json.loads(lab.evaluate("w.weights()[2].tolist()")), abs=1e-9)

    # Another sentence comes back with other vectors, one without a token with an explanation.
    live.get_by_label("Sentence").fill("Time flies like an arrow")
    live.get_by_role("button", name="Show").click()
    live.locator("[role=rowheader]", has_text="arrow").wait_for()
    assert live.locator("[role=rowheader]").all_inner_texts() == json.loads(lab.evaluate("w.tokens").replace("'", '"'))
    assert lab.evaluate("(w.row, w.column)") == "(-1, -1)"
    live.get_by_label("Sentence").fill(" ")
    page.keyboard.press("Enter")
    live.locator(".mw-error").wait_for()
    assert "ValueError" in live.locator(".mw-error").inner_text()
    assert live.locator("[role=rowheader]", has_text="arrow").count() == 1
