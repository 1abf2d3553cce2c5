"""The listings in the chapters: what is computed, and nothing that stands before it."""

import ast
import inspect
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from mlnotes.arrays import require_floats, widen_half
from mlnotes.attention.self_attention import attention_weights
from mlnotes.blocks.softmax import softmax
from mlnotes.layers.self_attention import SelfAttention
from mlnotes.show import WIDTH, change, show

CHAPTERS = sorted((Path(__file__).parents[1] / "chapters").glob("*/*.ipynb"))


def _require_even(n):
    """Refuse odd numbers."""
    if n % 2:
        raise ValueError(f"n must be even, got {n}")


@widen_half
def checked(x, shape=(), n=2):
    """Give back what came.

    After it was looked at.
    """
    require_floats(x=x)
    expected = tuple(shape)
    if expected != ():
        got = str(shape)
        raise ValueError(f"shape must be (), got {got}")
    for name, value in {"n": n}.items():
        if value < 0:
            raise ValueError(f"{name} must not be negative, got {value}")
        _require_even(value)

    # Why it is done like this.
    size = n  # and this
    if size > 3:
        _require_even(size)
        return -x
    return x


@dataclass(frozen=True)
class Kept:
    """Hold a number."""

    number: int

    @property
    def twice(self):
        """Two of them."""
        _require_even(self.number)
        return 2 * self.number


def searching(values):
    """Look for a zero, and give up."""
    for steps, value in enumerate(values):
        if not value:
            return steps
        if steps > 9:
            if steps > 99:
                raise ValueError(f"no zero among the first {steps}")
            values.reverse()


def wide(first_argument_with_a_long_name, second_argument_with_a_long_name, third_one=None):
    """Have a first line that is longer than what a page can show, and is broken between two of its words."""
    # A comment that is longer than what a page can show is broken as well, and goes on with its own sign.
    return [first_argument_with_a_long_name, second_argument_with_a_long_name, third_one, "…"]


def counting(values):
    """Count, and look at the count."""
    total = 0
    if total > 9:
        raise ValueError(f"total must be at most 9, got {total}")
    total += len(values)


def naming(values):
    """Name the first of some values while they are looked at."""
    if (first := values[0]) < 0:
        raise ValueError(f"the first value must not be negative, got {first}")
    return first


# fmt: off
def in_single_quotes(x):
    '''Begin.

    Go on.
    '''
    return x


def from_the_second_line(x):
    r"""
    Begin.

    Go on.
    """
    return x
# fmt: on


def test_code_is_shown_as_it_stands_with_the_docstring_cut_to_its_first_line():
    shown, source = show(softmax).code, inspect.getsource(softmax)
    code = [line for line in shown.splitlines() if '"""' not in line]
    assert '"""Turn scores into weights that are never negative and sum to one."""' in shown
    assert all(line in source.splitlines() for line in code)
    assert shown.splitlines()[-1] == source.rstrip().splitlines()[-1]
    assert "Parameters" not in shown


def test_input_checks_with_what_only_they_need_and_our_decorators_are_left_out_and_comments_stay():
    assert show(checked).code.splitlines() == [
        "def checked(x, shape=(), n=2):",
        '    """Give back what came."""',
        "",
        "    # Why it is done like this.",
        "    size = n  # and this",
        "    if size > 3:",
        "        return -x",
        "    return x",
    ]


def test_a_listing_says_once_what_was_left_out_and_nothing_if_nothing_was():
    for shown in (repr(show(checked, Kept)), show(checked, Kept)._repr_markdown_()):
        assert shown.count("Input checks and decorators are left out.") == shown.count("left out") == 1
    assert repr(show(Kept)).endswith("\n\n# Input checks are left out.")
    assert show(Kept)._repr_markdown_().endswith("\n```\n\nInput checks are left out.")
    assert "left out" not in repr(show(searching)) + show(searching)._repr_markdown_()


def test_other_decorators_a_search_that_fails_and_a_function_that_is_itself_a_check_are_shown():
    assert "@dataclass(frozen=True)\nclass Kept" in repr(show(Kept))
    assert "    @property\n    def twice" in repr(show(Kept))
    for whole in (searching, _require_even):
        assert repr(show(whole)) == inspect.getsource(whole).rstrip()


@pytest.mark.parametrize("whole", [counting, naming])
def test_what_is_needed_later_is_no_mere_check(whole):
    shown = repr(show(whole))
    compile(shown, "listing", "exec")
    assert "total = 0" in shown or "first := values[0]" in shown


@pytest.mark.parametrize("f", [in_single_quotes, from_the_second_line])
def test_docstrings_of_any_form_are_cut_to_their_first_line_of_words(f):
    shown = repr(show(f))
    docstring = ast.get_docstring(ast.parse(shown).body[0])
    assert docstring == "Begin."
    assert shown.splitlines()[-1] == "    return x"


def test_long_lines_are_broken():
    shown = repr(show(wide))
    assert max(map(len, shown.splitlines())) <= WIDTH
    assert '"""Have a first line that is longer than what a page can show, and is broken between\n    two of' in shown
    assert "goes on\n    # with its own sign.\n" in shown
    assert ast.dump(ast.parse(shown).body[0].body[1]) == ast.dump(ast.parse(inspect.getsource(wide)).body[0].body[1])


def test_the_comment_of_a_line_that_is_too_long_stands_above_it():
    shown = repr(show(attention_weights)).splitlines()
    place = shown.index("    scores = (scale * q) @ k.mT")
    assert shown[place - 1] == "    # cheaper to scale than scores, if there are more keys than d"


def test_classes_and_several_objects_are_shown_as_one_python_listing():
    markdown = show(SelfAttention, softmax)._repr_markdown_()
    assert markdown.startswith("```python\nclass SelfAttention")
    assert "\n```\n" in markdown
    assert "d_head : int" not in markdown
    compile(repr(show(SelfAttention, softmax)), "listing", "exec")


def test_nothing_to_show_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        show()


def test_a_change_shows_the_lines_that_differ_place_by_place_and_not_what_stands_around_them():
    before = "def f(x):\n    if x:\n        y = x\n    z = 0\n    return y\n"
    after = "def f(x):\n    if x:\n        y = -x\n        y = 2 * y\n    z = 0\n    return y + 1\n"
    changed = change(before, after)
    assert repr(changed) == "- y = x\n+ y = -x\n+ y = 2 * y\n\n- return y\n+ return y + 1"
    assert changed._repr_markdown_() == f"```diff\n{changed}\n```"


def test_a_change_without_a_difference_or_of_what_is_no_program_is_an_error():
    with pytest.raises(ValueError, match="must differ, got twice the same"):
        change("x = 1", "x  =  1")
    with pytest.raises(ValueError, match=r"programs must be Python, got .*unexpected EOF"):
        change("x = (", "x = 1")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_chapter_shows_fits_its_column(path):
    cells = (cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "code")
    nodes = [node for source in cells for node in ast.walk(ast.parse(source))]
    names = {}
    for statement in nodes:
        if isinstance(statement, ast.ImportFrom) and statement.module.startswith("mlnotes."):
            exec(ast.unparse(statement), names)
    calls = [it for it in nodes if isinstance(it, ast.Call) and getattr(it.func, "id", "") == "show"]
    found = [eval(ast.unparse(argument), names) for call in calls for argument in call.args]
    assert [line for line in repr(show(*found)).splitlines() if len(line) > WIDTH] == []
