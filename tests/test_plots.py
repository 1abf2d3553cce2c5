"""Drawings that a chapter describes in words show what the words say."""

import matplotlib
import numpy as np
import pytest
from matplotlib import style
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from mlnotes import plots

ROUNDED = 1e-15  # places on a page: at most 4 roundings of 1.1e-16

matplotlib.use("agg")


@pytest.fixture
def ax():
    return Figure().add_subplot()


def lines(ax):
    return [line.get_xydata().tolist() for line in ax.lines]


def arrows(ax):
    """List where arrows begin and end."""
    return [(it.xyann, it.xy) for it in ax.texts if getattr(it, "arrow_patch", None)]


def test_a_tower_has_a_box_for_each_part_and_none_for_what_comes_in_and_goes_out(ax):
    plots.tower(ax, ["in", "norm", "attention", "+2", "out"], x=2.0, title="pre-norm")
    boxes = [it for it in ax.patches if isinstance(it, Rectangle)]
    assert [it.get_xy()[1] + it.get_height() / 2 for it in boxes] == pytest.approx([1, 2], rel=ROUNDED)
    assert [it.get_xy()[0] + it.get_width() / 2 for it in boxes] == pytest.approx([2, 2], rel=ROUNDED)
    assert same_color(boxes[0].get_facecolor(), plots.PALE_GREEN)
    assert same_color(boxes[1].get_facecolor(), plots.PALE_BLUE)
    words = {it.get_text(): it.get_position() for it in ax.texts if it.get_text()}
    assert words == {"in": (2, 0), "norm": (2, 1), "attention": (2, 2), "out": (2, 4)}
    assert ax.get_title() == "pre-norm"


def test_a_sum_takes_what_has_passed_by_as_many_parts_as_it_says(ax):
    plots.tower(ax, ["in", "norm", "attention", "+2", "out"])
    [circle] = [it for it in ax.patches if isinstance(it, Ellipse)]
    assert circle.center == (0, 3)
    around = next(it for it in lines(ax) if len(it) == 3)
    (left, low), (right, high) = next(it for it in arrows(ax) if round(it[1][1]) == 1)
    assert around[0] == [left, pytest.approx(0.46, rel=ROUNDED)] == [right, pytest.approx(0.46, rel=ROUNDED)]
    assert low < around[0][1] < high - 0.2  # between what comes in and the first of the two parts, below the arrowhead
    assert around[-1][1] == 3
    assert around[1][0] == around[-1][0] > 1.15  # beside the boxes
    upwards = [(start, end) for start, end in arrows(ax) if start[0] == end[0]]
    assert [(round(start[1]), round(end[1])) for start, end in upwards] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_the_frame_of_a_repeated_block_holds_its_parts_and_no_others(ax):
    plots.tower(ax, ["in", "norm", "attention", "+2", "out"], block=(1, 3))
    frame = max((it for it in ax.patches if isinstance(it, Rectangle)), key=lambda it: it.get_height())
    low, high = frame.get_y(), frame.get_y() + frame.get_height()
    assert 0.32 < low < 0.68
    assert 3.22 < high < 3.68


def test_what_is_handed_over_leaves_a_tower_at_its_top_and_enters_the_other_from_the_left(ax):
    plots.handed_over(ax, (0.0, 4.0), (4.0, 2.0), "keys and values")
    [path] = lines(ax)
    assert path[0] == [0, 4]
    assert path[-1] == [2, 2]  # half-way between the towers, as high as the part
    assert arrows(ax) == [((2.0, 2.0), (4.0 - 1.15, 2.0))]
    [label] = [it for it in ax.texts if it.get_text()]
    assert (label.get_text(), label.get_position()[1] > 4.3) == ("keys and values", True)


def test_a_charge_has_its_sign_at_its_start_and_its_path_begins_outside_of_the_ring(ax):
    x = np.array([[[0.0, 0.0], [2.0, 1.0]], [[0.01, 0.0], [2.0, 0.5]], [[1.0, 0.0], [2.0, 0.0]]])
    plots.charged_paths(ax, x, [1, -1])
    assert [(it.get_text(), [*map(float, it.xy)]) for it in ax.texts] == [("+", [0, 0]), ("−", [2, 1])]
    paths = [line.get_xydata().tolist() for line in ax.get_lines() if line.get_linestyle() == "-"]
    assert paths == [[[1, 0]], [[2, 0.5], [2, 0]]]


def test_every_seed_is_a_point_and_the_line_runs_through_the_medians(ax):
    plots.over_seeds(ax, [1, 10], {"one": np.array([[1.0, 3.0, 8.0], [5.0, 9.0, 7.0]])}, "x", "y")
    line, *seeds = [it.get_ydata().tolist() for it in ax.get_lines()]
    assert line == [3, 7]
    assert seeds == [[1, 5], [3, 9], [8, 7]]


@pytest.mark.parametrize(
    ("places", "labels"),
    [
        ([8, 512], ["10", "20", "50", "100", "200", "500"]),
        ([1, 10_000], ["1", "10", "100", "1,000", "10,000"]),
        ([50, 20_000], ["100", "300", "1,000", "3,000", "10,000"]),
        ([1000, 260_000], ["1,000", "10,000", "100,000"]),
        ([1, 10**6], ["10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]),
        ([1e-9, 1.0], ["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"]),
    ],
)
def test_a_logarithmic_axis_is_labelled_in_full_up_to_ten_thousand_and_over_more_in_powers(ax, places, labels):
    plots.curves(ax, places, {"line": places}, "n", "cost", scale="log x")
    low, high = ax.get_xlim()
    shown = [it.get_text() for it in ax.get_xticklabels() if low <= it.get_position()[0] <= high]
    assert shown == labels


@pytest.mark.parametrize(
    ("places", "heights", "of_x", "of_y"),
    [
        ([1, 1024], [1, 1024], ["1", "10", "100", "1,000"], ["1", "10", "100", "1,000"]),
        ([1, 1024], [1, 1e6], ["10⁰", "10¹", "10²", "10³"], ["10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]),
        ([32, 8192], [1, 1e5], ["10²", "10³", "10⁴"], ["10⁰", "10¹", "10²", "10³", "10⁴", "10⁵"]),
        ([5, 200], [1e4, 1e6], ["5", "10", "20", "50", "100", "200"], ["10⁴", "10⁵", "10⁶"]),
    ],
)
def test_both_axes_have_powers_if_one_has_unless_it_is_read_by_labels_between_them(ax, places, heights, of_x, of_y):
    plots.curves(ax, places, {"line": heights}, "n", "cost", scale="log")
    assert (_shown(ax.xaxis, ax.get_xlim()), _shown(ax.yaxis, ax.get_ylim())) == (of_x, of_y)


def test_the_plots_of_a_figure_share_one_notation():
    left, right = Figure().subplots(1, 2)
    plots.curves(left, [1, 576], {"row": [1, 2]}, "row", "size", scale="log x")
    assert _shown(left.xaxis, left.get_xlim()) == ["1", "10", "100"]
    plots.curves(right, [1, 10**6], {"weight": [1, 2]}, "weight", "size", scale="log x")
    assert _shown(left.xaxis, left.get_xlim()) == ["10⁰", "10¹", "10²"]


def test_places_that_are_asked_for_are_labelled_and_no_others(ax):
    plots.curves(ax, [1, 2, 4], {"line": [1, 1e4, 1e8]}, "heads", "cost", scale="log", ticks=[1, 2, 4])
    assert _shown(ax.xaxis, ax.get_xlim()) == ["1", "2", "4"]
    assert _shown(ax.yaxis, ax.get_ylim())[-1] == "10⁸"


def _shown(axis, ends):
    places, labels = axis.get_majorticklocs(), axis.get_ticklabels()
    return [it.get_text() for at, it in zip(places, labels, strict=True) if ends[0] <= at <= ends[1]]


def test_a_mark_is_a_line_with_its_name_at_its_beginning(ax):
    plots.marks(ax, {"limit": 3.0}, {"end": 5.0})
    assert lines(ax) == [[[0, 3], [1, 3]], [[5, 0], [5, 1]]]
    assert {it.get_text(): it.xy for it in ax.texts} == {"limit": (0, 3), "end": (5, 0)}


def test_one_colour_stands_for_one_number_in_all_tables_of_positions():
    for ax, table in zip(Figure().subplots(1, 2), (np.eye(5), -np.eye(5)), strict=True):
        plots.position_table(ax, table, "digit")
        assert ax.images[0].get_clim() == (-1, 1)
        low, high = ax.get_xlim()
        assert [it for it in ax.get_xticks() if low <= it <= high] == [0, 1, 2, 3, 4]


def test_a_projection_is_named_on_the_side_where_no_line_leads_away():
    for b, onto in (((1, 2), (3, 1)), ((5, 0), (3, 4))):
        ax, a = Figure().add_subplot(), np.array(onto)
        foot = (a @ b) / (a @ a) * a
        plots.projection(ax, b, onto, foot)
        (name,) = (text for text in ax.texts if text.get_text() == "projection")
        assert np.dot(name.xyann, np.subtract(b, foot)) < 0
        assert name.get_ha() == ("left" if name.xyann[0] > 0 else "right")
        assert all(it.get_bbox_patch() for it in ax.texts if it.get_text() in ("a", "b"))  # clear of the line


def test_values_above_narrow_bars_leave_out_the_zero(ax):
    plots.bars(ax, {"one": [0.5, 1.25], "two": [0.25, 0]}, "ab", "share")
    assert [text.get_text() for text in ax.texts] == ["0.50", "1.25", "0.25", "0.00"]
    narrow = Figure().add_subplot()
    plots.bars(narrow, {"one": [0.5] * 6 + [1.25], "two": [0.25] * 7}, "abcdefg", "share")
    assert {text.get_text() for text in narrow.texts} == {".50", "1.25", ".25"}
    assert {text.get_size() for text in ax.texts} == {10}
    assert {text.get_size() for text in narrow.texts} == {plots.SMALL}


def test_the_names_of_four_kinds_stand_above_the_points_of_their_seeds(ax):
    for count, above in ((3, False), (4, True)):
        ax.clear()
        plots.over_seeds(ax, [1, 10], {name: np.ones((2, 3)) for name in "abcd"[:count]}, "x", "y")
        ax.figure.draw_without_rendering()
        assert (ax.get_legend().get_window_extent().y0 >= ax.bbox.y1) == above


def test_level_lines_keep_every_point_for_which_may_be_left_out_depends_on_last_bits(ax):
    plots.walks(ax, lambda x, y: x**2 + 3 * y**2, {"one": np.zeros((2, 2))}, (1, 1), [0.5, 1.0])
    drawn = [path for it in ax.collections for path in it.get_paths() if len(path.vertices) > 128]
    assert drawn
    assert not any(path.should_simplify for path in drawn)


def test_names_of_one_or_two_letters_stand_upright_under_a_map_and_longer_ones_do_not(ax):
    plots.heat_map(ax, np.eye(3), [], ["c", "u", "10"])
    assert {it.get_rotation() for it in ax.get_xticklabels()} == {0}
    words = Figure().add_subplot()
    plots.heat_map(words, np.eye(3), [], ["a", "cat", "is"])
    assert {it.get_rotation() for it in words.get_xticklabels()} == {90}


def test_a_map_with_hidden_cells_has_a_frame_and_no_other_map_has_one(ax):
    plots.heat_map(ax, np.where(np.tri(3), 0.5, np.nan), [], [])
    assert all(it.get_visible() for it in ax.spines.values())
    full = Figure().add_subplot()
    plots.heat_map(full, np.eye(3), [], [])
    assert not any(it.get_visible() for it in full.spines.values())
    assert (ax.patch.get_hatch(), full.patch.get_hatch()) == ("////", None)


def test_the_outer_axes_of_maps_are_called_query_and_key_unless_they_have_a_name():
    axes = Figure().subplots(2, 2)
    axes[1, 1].set_xlabel("layer")
    for ax in axes.flat:
        plots.heat_map(ax, np.eye(3), [], [])
    assert [[it.get_ylabel() for it in row] for row in axes] == [["query", ""], ["query", ""]]
    assert [[it.get_xlabel() for it in row] for row in axes] == [["", ""], ["key", "layer"]]


@pytest.mark.parametrize(
    ("draw", "label"),
    [
        (lambda ax, x: plots.heat_map(ax, x, [], []), "weight"),
        (plots.scores_of_heads, "score"),
    ],
)
def test_the_plots_of_a_figure_share_one_colour_bar(draw, label):
    figure = Figure()
    for ax in figure.subplots(1, 2):
        draw(ax, np.eye(3))
    bars = [it for it in figure.axes if it.get_label() == "<colorbar>"]
    assert [it.get_ylabel() for it in bars] == [label]


def test_more_groups_than_can_be_told_apart_are_refused_and_not_left_out(ax):
    five = {name: np.ones((1, 2)) for name in "abcde"}
    with pytest.raises(ValueError, match="at most 4 groups can be told apart, got 5: a, b, c, d, e"):
        plots.points(ax, five, list(five), "x", "y")
    with pytest.raises(ValueError, match="at most 3 groups can be told apart, got 4: a, b, c, d"):
        plots.bars(ax, {name: [1.0] for name in "abcd"}, "x", "height")


@pytest.mark.parametrize("places", [[16, 1024], [128, 16_384], [50, 20_000], [1, 10_000]])
def test_labels_of_a_logarithmic_axis_have_room_side_by_side(places):
    with style.context("mlnotes.plots"):
        ax = Figure().add_subplot()
        plots.curves(ax, places, {"line": places}, "n", "cost", scale="log")
        assert _overlaps(ax, [it for it in ax.get_xticklabels() if it.get_text()]) == []


def test_a_logarithmic_height_of_few_powers_of_ten_has_labels_between_them(ax):
    plots.curves(ax, [1, 2, 4], {"line": [34_816, 9_216, 3_100]}, "n", "numbers", scale="log")
    low, high = ax.get_ylim()
    shown = [it.get_text() for it in ax.get_yticklabels() if low <= it.get_position()[1] <= high]
    assert shown == ["5,000", "10,000", "20,000"]


def test_names_in_the_plane_stand_beside_all_marks_and_each_other_where_they_can():
    places = np.array([[0, 0], [0.5, 0.1], [1, 0], [0, 0.5], [5, 5], [5.4, 5]])
    with style.context("mlnotes.plots"):
        ax = Figure().add_subplot()
        plots.names_in_the_plane(ax, places, "abcdef", {"vowels": "ae"})
        assert [it.get_text() for it in ax.texts] == [*"abcdef"]
        assert _overlaps(ax, ax.texts) == []
        marks = ax.transData.transform(places)
        boxes = [it.get_window_extent() for it in ax.texts]
        assert not any(box.contains(*mark) for box in boxes for mark in marks)


def test_a_legend_above_leaves_the_curves_free_and_has_as_many_columns_as_the_figure_is_wide():
    four = "inverse", "elimination", "each right-hand side", "minors"
    for names, lines in (("abcd", 1), (four, 2), (("a" * 30, "b" * 30), 2)):
        with style.context("mlnotes.plots"):
            ax = Figure().add_subplot()
            plots.curves(ax, [1, 2], {name: [1, 2] for name in names}, "n", "cost")
            plots.legend_above(ax)
            ax.figure.draw_without_rendering()
            box, axes, figure = (it.get_window_extent() for it in (ax.get_legend(), ax, ax.figure))
            assert box.y0 >= axes.y1
            assert box.x1 <= figure.x1
            assert len({round(it.get_window_extent().y0) for it in ax.get_legend().get_texts()}) == lines


def _overlaps(ax, texts):
    ax.figure.draw_without_rendering()
    boxes = [it.get_window_extent() for it in texts]
    pairs = [(i, j) for i in range(len(texts)) for j in range(i)]
    return [(texts[j].get_text(), texts[i].get_text()) for i, j in pairs if boxes[i].overlaps(boxes[j])]


def test_a_vector_of_length_zero_has_its_name_above_the_origin(ax, recwarn):
    plots.arrows(ax, {"a": (3.0, 4.0), "nothing": (0.0, 0.0)})
    names = {it.get_text(): it.xyann for it in ax.texts if it.get_text()}
    assert names == {"a": pytest.approx((0.6 * 8, 0.8 * 8), rel=ROUNDED), "nothing": (0, 8)}
    ax.figure.canvas.draw()
    assert not recwarn


def test_a_vector_on_the_line_it_is_projected_onto_is_its_own_projection(ax, recwarn):
    plots.projection(ax, (2.0, 0.0), (1.0, 0.0), (2.0, 0.0))
    assert next(it.xyann for it in ax.texts if it.get_text() == "projection") == (0, 10)
    ax.figure.canvas.draw()
    assert not recwarn
