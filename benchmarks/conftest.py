"""Time functions on the same input in one run, and print how they compare."""

from time import process_time

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_limits

torch.set_num_threads(1)
RACES = {}


@pytest.fixture
def race(benchmark):
    """Enter one function in a race, after asserting that its result is right."""

    def enter(title, name, function, *arguments, expected, tolerance):
        with threadpool_limits(1):  # NumPy's and SciPy's
            result = np.asarray(function(*arguments), dtype=np.float64)
            np.testing.assert_allclose(result, expected, tolerance, tolerance)
            if not benchmark.enabled:  # with --benchmark-disable, the result was all that counts
                benchmark(bool)
                return
            benchmark(function, *arguments)
            RACES.setdefault(title, {})[name] = benchmark.stats.stats.min

    return enter


@pytest.fixture
def big(benchmark):
    """Choose the size of long races: as long as this, or an eighth of it where only the result counts."""
    return (lambda n: n) if benchmark.enabled else (lambda n: max(1, n // 8))


@pytest.fixture
def shortest():
    """Measure the processor time in seconds of the fastest of five runs of each of some functions, which take turns."""

    def measure(functions, *arguments):
        times = [[] for _ in functions]
        with threadpool_limits(1):
            for _ in range(5):
                for function, found in zip(functions, times, strict=True):
                    start = process_time()
                    function(*arguments)
                    found.append(process_time() - start)
        return list(map(min, times))

    return measure


def pytest_collection_modifyitems(config, items):
    """Ask for right results and counts only, and for no times, with --benchmark-disable."""
    if config.getoption("benchmark_disable"):
        items[:] = [item for item in items if not {"shortest", "used"} & set(item.fixturenames)]


def pytest_benchmark_group_stats():
    """Leave out the plugin's own table, which compares functions that do different things."""
    return []


def pytest_terminal_summary(terminalreporter):
    for line in table(RACES):
        terminalreporter.write_line(line)


def table(races):
    """Compare mlnotes, in each race, with every other that took part."""
    if not races:
        return
    width = max(len(name) for times in races.values() for name in times)
    slower = total = 0
    for title, times in races.items():
        yield ""
        yield f"{title}: mlnotes {times['mlnotes'] * 1e6:,.0f} µs"
        for name, time in times.items():
            if name == "mlnotes":
                continue
            ratio = times["mlnotes"] / time
            slower, total = slower + (ratio > 1), total + 1
            verdict = "mlnotes is slower" if ratio > 1 else "mlnotes is faster"
            yield f"  {name:{width}} {time * 1e6:9,.0f} µs   mlnotes takes {ratio:6.2f} times as long   {verdict}"
    yield ""
    yield f"Shortest times of this run, on {torch.get_num_threads()} thread. mlnotes is slower in {slower} of {total}."
