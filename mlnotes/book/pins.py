"""Renew requirements.txt: install requirements.in afresh, and write down every package that came with it.

``make pins``, or ``python -m mlnotes.book.pins``; on Linux with Python 3.11.
"""

import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEADER = """\
# Every package of the book in the version that it was tested with. Written by `make pins` from requirements.in
# with Python 3.11 on Linux: change that file, not this one.
"""
# The wheels that are looked at to find the versions of packages that only other systems need.
PLATFORMS = {'sys_platform == "darwin"': "macosx_14_0_arm64", 'sys_platform == "win32"': "win_amd64"}
# Parts of the CUDA build of PyTorch, which pins them itself. Other systems and the CPU build have none of them.
PARTS_OF_TORCH = re.compile(r"(nvidia|cuda|triton)\b")


def main():
    """Write requirements.txt."""
    if sys.platform != "linux" or sys.version_info[:2] != (3, 11):
        sys.exit("The pins are renewed on Linux with Python 3.11, the oldest that the book runs on.")
    wanted = (ROOT / "requirements.in").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [f"{folder}/bin/python", "-m", "pip"]
        subprocess.run([*pip, "install", "--quiet", "-r", ROOT / "requirements.in"], check=True)
        subprocess.run([*pip, "check"], check=True)
        frozen = _output([*pip, "freeze", "--all"])
        elsewhere = [f"{_newest(pip, name, marker)}; {marker}" for name, marker in for_other_systems(wanted)]
    (ROOT / "requirements.txt").write_text(HEADER + pins(frozen, elsewhere), encoding="utf-8")


def pins(frozen, elsewhere):
    """Turn what pip says is installed into pins that hold on any machine.

    Parameters
    ----------
    frozen : str
        The output of ``pip freeze --all``.
    elsewhere : list of str
        Pins of packages that only other systems need, with their markers.

    Returns
    -------
    str
        One ``name==version`` in each line, in alphabetical order; without pip, without the parts of PyTorch's CUDA
        build, and without suffixes such as ``+cpu``, which name a build that not every index has.
    """
    lines = [re.sub(r"\+\S+$", "", line) for line in frozen.splitlines()]
    lines = [line for line in lines if not line.startswith("pip==") and not PARTS_OF_TORCH.match(line)]
    return "".join(f"{line}\n" for line in sorted(lines + elsewhere, key=lambda line: line.split("==")[0].lower()))


def for_other_systems(wanted):
    """List the packages that are only needed on other systems than Linux.

    Parameters
    ----------
    wanted : str
        The text of requirements.in.

    Returns
    -------
    list of (str, str)
        Name and environment marker.
    """
    return re.findall(r"^([\w-]+) *; *(.+)$", wanted, re.M)


def _newest(pip, name, marker):
    options = ["--dry-run", "--quiet", "--no-deps", "--only-binary=:all:", "--report=-"]
    target = [f"--platform={PLATFORMS[marker]}", "--target=unused"]
    (found,) = json.loads(_output([*pip, "install", *options, *target, name]))["install"]
    return f"{found['metadata']['name']}=={found['metadata']['version']}"


def _output(command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


if __name__ == "__main__":
    main()
