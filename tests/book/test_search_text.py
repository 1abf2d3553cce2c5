"""What the search reads of a page."""

from sphinx.addnodes import pending_xref

from mlnotes.book.search_text import _said


def test_a_citation_is_read_as_its_work_and_an_unknown_one_as_its_key():
    keys = "bahdanau2015, nobody1988"
    assert _said(pending_xref(refdomain="cite", reftype="p", reftarget=keys)) == "Bahdanau et al., 2015; nobody1988"
