"""Run the chapters and the tests of functions with the kernels that other processors would get.

OpenBLAS, NumPy, PyTorch and MKL choose their kernels by processor, and kernels add in different orders. Each can be
told to take the kernels of an older processor; a table then says which ones ran, and what passed.
``make processors``, or ``python -m mlnotes.book.processors [SET ...] [--only chapters] [--emulate aarch64]``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from mlnotes.book.kernel import ONE_THREAD
from mlnotes.diagnosis.report import Table

ROOT = Path(__file__).parents[2]

# For each set: what it needs, as NumPy names it, then what OpenBLAS, PyTorch, MKL and oneDNN are told. NumPy is told to
# leave out all that is newer than what the set needs. The first set of each machine tells nobody anything.
NAMES = ("OPENBLAS_CORETYPE", "ATEN_CPU_CAPABILITY", "MKL_CBWR", "ONEDNN_MAX_CPU_ISA")
X86 = {
    "own": None,
    "old": (None, "Nehalem", "default", "COMPATIBLE", "SSE41"),
    "avx2": ("X86_V3", "Haswell", "avx2", "AVX2", "AVX2"),
    "avx512": ("X86_V4", "SkylakeX", "avx512", "AVX512", "AVX512_CORE"),
}
ARM = {"own": None, "old": (None, "ARMV8", "default", "", ""), "avx2": "x86-64", "avx512": "x86-64"}
ALL = ["own", "old", "avx2", "avx512"]
NUMPY = "NPY_DISABLE_CPU_FEATURES"
# Whoever calls this may have told the libraries something, too.
TOLD = (*NAMES, NUMPY, "NPY_ENABLE_CPU_FEATURES", "MKL_ENABLE_INSTRUCTIONS", "DNNL_MAX_CPU_ISA")

RUNS = {
    "chapters": ["--nbval", "chapters"],
    "tests": ["tests", "--ignore=tests/book", "--ignore=tests/widgets"],
}

REPORT = """
import json, platform, re
import numpy, scipy.linalg, threadpoolctl, torch
simd = numpy.show_config(mode="dicts")["SIMD Extensions"]
pools = [it for it in threadpoolctl.threadpool_info() if it["user_api"] == "blas"]
print()
print(json.dumps({
    "machine": platform.machine(),
    "OpenBLAS": sorted({it.get("architecture", it["internal_api"]) for it in pools}),
    "NumPy": simd.get("found", []),
    "NumPy always": simd.get("baseline", []),
    "PyTorch": torch.backends.cpu.get_cpu_capability(),
}))
a = torch.ones(64, 64, dtype=torch.float64)
a @ a
"""


def environment(told, own):
    """Collect the environment variables with which the libraries take a set's kernels.

    Parameters
    ----------
    told : tuple or None
        A value of `X86` or `ARM`.
    own : dict
        What `kernels` gives where nothing is told.

    Returns
    -------
    dict of str to str
        Environment variables.
    """
    if told is None:
        return {}
    needs, *values = told
    newer = own["NumPy"][own["NumPy"].index(needs) + 1 :] if needs in own["NumPy"] else own["NumPy"]
    variables = dict(zip(NAMES, values, strict=True)) | {NUMPY: " ".join(newer)}
    return {name: value for name, value in variables.items() if value}


def lacking(told, own):
    """Say what a set needs that the machine lacks, or None."""
    if isinstance(told, str):
        return told
    if told and told[0] and told[0] not in [*own["NumPy"], *own["NumPy always"]]:
        return told[0]
    return None


def foreign(own):
    """Name the newest set of kernels that is older than what the machine takes by itself, or None.

    Parameters
    ----------
    own : dict
        What `kernels` gives where nothing is told.

    Returns
    -------
    str or None
        A key of `X86` or `ARM`.
    """
    if own["machine"] not in ("x86_64", "AMD64"):
        return "old"
    if "X86_V4" in own["NumPy"]:
        return "avx2"
    return "old" if own["NumPy"] else None


def kernels(python, variables):
    """Ask the libraries which kernels they take.

    Parameters
    ----------
    python : sequence of str
        The command of the Python that has them.
    variables : dict of str to str
        The environment variables of a set.

    Returns
    -------
    dict
        The processor's family under "machine"; under the name of each library, what it says of itself.
    """
    environment = _clean() | variables | {"MKL_VERBOSE": "1"}
    asked = subprocess.run([*python, "-c", REPORT], env=environment, text=True, capture_output=True, cwd=ROOT)
    lines = asked.stdout.splitlines()
    found = next((json.loads(line) for line in lines if line.startswith("{")), None)
    if found is None:
        raise RuntimeError(f"the libraries do not start with {variables}: {asked.stderr[-2000:]}")
    modes = [line.split("CNR:")[1].split()[0] for line in lines if "CNR:" in line]
    return found | {"MKL": modes[0] if modes else "none"}


def run(python, name, variables, *options):
    """Run the chapters or the tests.

    Parameters
    ----------
    python : sequence of str
        The command of the Python that has the libraries.
    name : str
        A key of `RUNS`.
    variables : dict of str to str
        Environment variables.
    *options : str
        More options of pytest.

    Returns
    -------
    passed : int
        How many tests passed.
    failed : list of str
        The others, and what went wrong where nothing could be counted.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [*python, "-m", "pytest", *RUNS[name], "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
        command += ["-q", f"--junitxml={report}", *options]
        done = subprocess.run(command, env=_clean() | variables, text=True, capture_output=True, cwd=ROOT)
        if not report.exists():
            return 0, [f"nothing ran: {(done.stdout + done.stderr)[-2000:]}"]
        cases = list(ET.parse(report).iter("testcase"))
    failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    skipped = [case for case in cases if case.find("skipped") is not None]
    names = [f"{case.get('classname')} {case.get('name')}".replace("::ipynb", "") for case in failed]
    return len(cases) - len(failed) - len(skipped), names or ([] if cases else ["no test was found"])


def main(arguments=None):
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mlnotes.book.processors", description=__doc__.split("\n\n")[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"{', '.join(ALL)} (all of them) or foreign")
    parser.add_argument("--only", choices=RUNS, help="run only the chapters, or only the tests of functions")
    parser.add_argument("--emulate", choices=["aarch64"], help="run on an emulated processor instead (needs qemu-user)")
    options = parser.parse_args(arguments)
    if unknown := set(options.sets) - {*ALL, "foreign"}:
        parser.error(f"there is no set {', '.join(sorted(unknown))}: {', '.join(ALL)} or foreign")
    python, extra = [sys.executable], {}
    if options.emulate:
        from mlnotes.book.emulation import prepare

        python, extra = prepare()
    own = kernels(python, extra)
    sets = X86 if own["machine"] in ("x86_64", "AMD64") else ARM
    wanted = options.sets or (["own"] if options.emulate else ALL)
    wanted = [foreign(own) if name == "foreign" else name for name in wanted]
    runs = [options.only] if options.only else list(RUNS)
    head, rows, failures = ("kernels", "OpenBLAS", "NumPy", "PyTorch", "MKL", *runs), [], []
    for name in wanted:
        if name is None or (need := lacking(sets[name], own)):
            reason = f"needs {need}" if name else "no older kernels than this machine's own"
            rows.append((name or "foreign", reason, "", "", "", *["skipped"] * len(runs)))
            continue
        variables = environment(sets[name], own) | extra
        active = kernels(python, variables)
        counts = []
        for what in runs:
            print(f"{name}: running the {what} ...", flush=True)
            passed, failed = run(python, what, variables)
            counts.append(f"{passed:,} passed, {len(failed)} failed")
            failures += [f"{name}: {it}" for it in failed]
        numpy = active["NumPy"] or active["NumPy always"]
        rows.append((name, ", ".join(active["OpenBLAS"]), numpy[-1], active["PyTorch"], active["MKL"], *counts))
    print(Table(head, tuple(rows)), *failures, sep="\n")
    return int(bool(failures))


def _clean():
    """Copy this process's environment, with one thread and without what it tells the libraries."""
    return {name: value for name, value in os.environ.items() if name not in TOLD} | ONE_THREAD


if __name__ == "__main__":
    sys.exit(main())
