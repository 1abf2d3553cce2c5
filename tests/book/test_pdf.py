"""The book as one PDF: what can be found, followed and copied in it."""

import re

import pytest
from pypdf import PdfReader
from pypdf.generic import DecodedStreamObject, NameObject

from mlnotes.book import pdf
from mlnotes.book.browser import requires_browser

pytestmark = pytest.mark.publishing

CURVE = re.compile(rb"^(?:-?[\d.]+ )+(?:[mlcvy]|re)\n", re.MULTILINE)


@pytest.fixture(scope="module")
def printed(part, tmp_path_factory):
    """Print a part of the book; give the file, and where each page is."""
    requires_browser()
    folder = tmp_path_factory.mktemp("pdf")
    (folder / "work").mkdir()
    listed = pdf.pages(part, part.parents[1] / "_toc.yml")
    book = pdf.make(listed, folder / "part.pdf", folder / "work")
    return PdfReader(folder / "part.pdf"), {it.path.stem: it for it in book}


@pytest.fixture(scope="module")
def words(printed):
    """Read the text of each sheet, without the lines that draw curves, over which pypdf takes half of its time."""
    texts = []
    for sheet in printed[0].pages:
        content = DecodedStreamObject()
        content.set_data(CURVE.sub(b"", sheet.get_contents().get_data()))
        sheet[NameObject("/Contents")] = content
        texts.append(sheet.extract_text())
    return texts


def numbers(reader):
    return {page.indirect_reference.idnum: i for i, page in enumerate(reader.pages)}


def led_to(reader, sheet):
    places = numbers(reader)
    links = [it.get_object() for it in reader.pages[sheet].get("/Annots", ())]
    return [places[it["/Dest"][0].indirect_reference.idnum] for it in links if "/Dest" in it]


def test_it_has_every_page_in_the_order_of_the_book(printed):
    reader, book = printed
    assert [*book] == ["index", "notation", "bibliography", "softmax", "self_attention"]
    ends = [it.first + it.count for it in book.values()]
    assert ends == [it.first for it in [*book.values()][1:]] + [len(reader.pages)]


def test_the_table_of_contents_names_the_sheet_of_each_page_and_leads_to_it(printed, words):
    reader, book = printed
    for title, it in {"Softmax": book["softmax"], "Self-attention": book["self_attention"]}.items():
        assert re.search(rf"{title}\s*{it.first + 1}\b", words[0])
        assert title in words[it.first]
    assert led_to(reader, 0) == [it.first for it in book.values()]


def test_every_sheet_has_its_number(words):
    assert [text.split()[-1] for text in words] == [str(i + 1) for i in range(len(words))]


def test_below_each_sheet_stands_the_chapter_that_it_belongs_to(printed, words):
    for it in printed[1].values():
        for i in range(it.first, it.first + it.count):
            assert words[i].endswith(f"{it.title} · {i + 1}")


def test_bookmarks_lead_to_chapters_and_their_sections(printed, words):
    reader, book = printed
    flat = []

    def walk(items):
        for it in items:
            walk(it) if isinstance(it, list) else flat.append((it.title, reader.get_destination_page_number(it)))

    walk(reader.outline)
    assert ("Softmax", book["softmax"].first) in flat
    assert [title for title, sheet in flat if "Temperature" in title]
    for title, sheet in flat:
        assert title in ("mlnotes", "Part") or title.split()[0] in words[sheet], title


def test_links_between_pages_lead_to_the_place_in_the_file(printed):
    reader, book = printed
    start = book["self_attention"].first
    assert book["softmax"].first in {it for sheet in range(start, start + 3) for it in led_to(reader, sheet)}
    cited = {it for sheet in range(start, len(reader.pages)) for it in led_to(reader, sheet)}
    assert any(0 <= it - book["bibliography"].first < book["bibliography"].count for it in cited)


def test_no_link_leads_to_a_file_of_this_machine_or_to_nowhere(printed):
    reader, _ = printed
    for page in reader.pages:
        for link in (it.get_object() for it in page.get("/Annots", ())):
            assert "/Dest" in link or re.match("https?:", str(link["/A"]["/URI"])), link


def test_the_text_can_be_copied_and_solutions_are_open(words):
    text = " ".join(" ".join(words).split())
    assert "independence of irrelevant alternatives" in text
    assert "With the maximum subtracted, no exponential" in text


def test_a_formula_can_be_found_and_copied_as_it_was_written(words):
    text = " ".join(" ".join(words).split())
    assert r"One point more is a factor of $e\approx2.718$" in text
    in_two_lines = r"$\max\mathbf x\le\mathrm{lse}(\mathbf x)\le\max\mathbf x+\log n$"
    assert in_two_lines.replace(" ", "") in text.replace(" ", "")
    displayed = re.findall(r"\$\$(.*?)\$\$", text)
    assert len(displayed) > 10
    assert any(r"\log\sum_j" in it and r"\exp" in it for it in displayed), displayed
    assert all(it.count("{") == it.count("}") for it in displayed)


def test_figures_are_drawn_and_widgets_are_their_pictures(printed, words):
    text = " ".join(" ".join(words).split())
    assert "Attention weights of" in text  # the caption of the picture, which the live widget does not have
    assert "Color mode" not in text
    assert len(re.findall("As it starts; it moves on the pages and in JupyterLab. Attention weights of", text)) == 1


def test_a_long_table_begins_where_it_stands_and_goes_on_on_the_next_sheet(part, browser):
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto((part / "chapters/notation.html").as_uri())
    styles = page.locator("main :is(table, tr)").evaluate_all(
        "all => all.map((it) => `${it.tagName} ${getComputedStyle(it).breakInside}`)"
    )
    assert {*styles} == {"TABLE auto", "TR avoid"}
    page.close()


def test_a_book_that_was_not_built_is_asked_for(tmp_path, capsys):
    requires_browser()
    assert pdf.main([str(tmp_path)]) == 1
    assert "the book must be built first, by make book" in capsys.readouterr().err
