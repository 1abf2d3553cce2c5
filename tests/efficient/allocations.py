"""How much memory a call takes, for the tests that nothing is copied and no table is held."""

import tracemalloc

import torch


def peak_of_numpy(function, *arrays, **options):
    """Measure the most that a second call holds at one time, in bytes: the first may set something aside for good."""
    function(*arrays, **options)
    tracemalloc.start()
    function(*arrays, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def sizes_in_torch(function, *tensors):
    """List all that is allocated on the way, also what is freed again, in bytes."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        function(*tensors)
    # One event for each allocation; the tables of operations hold differences, in which a buffer freed again is lost.
    sizes = [it.nbytes() for it in profile.profiler.kineto_results.events() if it.name() == "[memory]"]
    assert sizes, "the profiler has seen no memory"
    return [size for size in sizes if size > 0]
