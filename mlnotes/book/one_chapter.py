"""Which tests are about one chapter: those that a maintainer runs while the chapter is being written."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


class About:
    """Tell whether a test is about a chapter: by its file, by the case that it takes, or because it visits pages.

    Parameters
    ----------
    chapter : str
        Part and name, such as "blocks/softmax".

    Raises
    ------
    ValueError
        If there is no such chapter.
    """

    def __init__(self, chapter):
        notebook, module = ROOT / f"chapters/{chapter}.ipynb", ROOT / f"mlnotes/{chapter}.py"
        if not (notebook.exists() and module.exists()):
            raise ValueError(f"a chapter must be named by part and name, such as blocks/softmax, got {chapter}")
        part, name = chapter.split("/")
        widgets = re.findall(r"mlnotes\.widgets\.(\w+)", notebook.read_text(encoding="utf-8"))
        files = [f"{part}/test_{name}.py", f"layers/test_{name}.py", *(f"widgets/test_{it}.py" for it in widgets)]
        self.files = {ROOT / "tests" / it for it in files}
        self.pages = [f"chapters/{chapter}", f"chapters/api/{chapter}", f"_modules/mlnotes/{chapter}"]
        defined = ast.parse(module.read_text(encoding="utf-8")).body
        names = [it.name for it in defined if isinstance(it, ast.FunctionDef | ast.ClassDef) and it.name[0] != "_"]
        # What a slash follows is a part, not the function that has its name.
        self._case = re.compile(rf"(?:\b|right_|wrong_)(?:{'|'.join([name, *names])})(?:\b|__)(?!/)")

    def __call__(self, item):
        """Tell it of a test as pytest has collected it."""
        case = item.callspec.id if hasattr(item, "callspec") else ""
        visits = "visits" in item.fixturenames and "chapter" not in item.fixturenames
        return item.path in self.files or visits or bool(self._case.search(case))
