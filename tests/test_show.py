"""The listings in the chapters."""

import inspect

import pytest

from mlnotes.blocks.softmax import softmax
from mlnotes.layers.self_attention import SelfAttention
from mlnotes.show import show


def test_code_is_shown_as_it_stands_with_the_docstring_cut_to_its_first_line():
    shown, source = repr(show(softmax)), inspect.getsource(softmax)
    code = [line for line in shown.splitlines() if '"""' not in line]
    assert '"""Turn scores into weights that are never negative and sum to one."""' in shown
    assert all(line in source.splitlines() for line in code)
    assert shown.splitlines()[-1] == source.rstrip().splitlines()[-1]
    assert "Parameters" not in shown


def test_classes_and_several_objects_are_shown_as_one_python_listing():
    markdown = show(SelfAttention, softmax)._repr_markdown_()
    assert markdown.startswith("```python\nclass SelfAttention")
    assert markdown.endswith("\n```")
    assert "d_head : int" not in markdown
    compile(repr(show(SelfAttention, softmax)), "listing", "exec")


def test_nothing_to_show_is_an_error():
    with pytest.raises(ValueError, match="at least one"):
        show()
