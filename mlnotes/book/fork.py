"""A Python that loads what kernels need, once, and becomes a notebook's kernel in as many copies as are asked for.

PyTorch, scikit-learn and Matplotlib take most of the seconds until a chapter's kernel is ready. Started as a program,
this reads requests, one a line, loads the libraries that each names, forks, and prints the process's number.
"""

import gc
import importlib
import json
import os
import signal
import sys
import warnings

# What the cells of every chapter load before long.
EVERYWHERE = ["numpy", "ipykernel.kernelapp", "anywidget", "array_api_compat.numpy", "einops", "tabulate"]
# What of a library takes long to load. Matplotlib's pyplot and its backend ask whether a kernel is there; an optimizer
# of PyTorch loads the compiler that nobody here uses.
SLOW = {
    "matplotlib": ["matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"],
    "sklearn": ["sklearn.datasets", "sklearn.linear_model"],
    "torch": ["torch", "torch._dynamo", "array_api_compat.torch"],
}


def main():
    """Answer requests until there are no more."""
    del sys.path[0]  # this file's folder
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody here waits for kernels.
    _load(*EVERYWHERE)
    for line in sys.stdin:
        request = json.loads(line)
        _load(*(module for library in request["libraries"] for module in SLOW[library]))
        gc.freeze()  # What is there stays shared.
        pid = os.fork()
        if not pid:
            return _become_kernel(**request)
        os.setpgid(pid, pid)
        print(pid, flush=True)


def _load(*modules):
    """Load modules; a warning that a kernel would have shown ends everything."""
    for module in modules:
        with warnings.catch_warnings(record=True) as shown:
            importlib.import_module(module)
        if shown:
            raise ImportError(f"a kernel that loads {module} shows a warning: {shown[0].message}")


def _become_kernel(command, environment, folder, libraries):
    from ipykernel import kernelapp

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    importlib.import_module("numpy").random.seed()  # as in every new process: what is drawn without a seed differs
    options = command[command.index("-f") :]
    kernelapp.launch_new_instance([*options, f"--IPKernelApp.parent_handle={os.getppid()}"])


if __name__ == "__main__":
    main()
