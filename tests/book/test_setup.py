"""The commands, the pins and the files around the book: what they promise is there."""

import ast
import functools
import importlib.metadata
import os
import re
import shutil
import stat
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from mlnotes.book.browser import chromium
from mlnotes.book.kernel import ONE_THREAD
from mlnotes.book.pins import PARTS_OF_TORCH, for_other_systems, pins
from mlnotes.book.sampling import EVERY, sample

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = [
    "book",
    "pdf",
    "test",
    "processors",
    "lab",
    "notebooks",
    "bench",
    "beside",
    "mutants",
    "picture",
    "pins",
    "clean",
    "help",
]
ASKED_FOR = ["jupyter-book", "numpy", "torch", "matplotlib", "nbval", "ipywidgets"]
WORKFLOW = ".github/workflows/book.yml"


class TestMake:
    @pytest.mark.parametrize("target", TARGETS)
    def test_every_target_is_there_and_stands_in_the_help_and_in_the_readme(self, target):
        run("make", "--dry-run", target)
        assert re.search(rf"^  make {target} +\w", run("make", "help"), re.M)
        assert f"`make {target}`" in README

    def test_the_help_names_no_other_target(self):
        assert sorted(re.findall(r"^  make (\w+)  +\w", run("make"), re.M)) == sorted([*TARGETS])

    def test_a_python_that_is_too_old_is_refused_by_its_name(self, copy, tmp_path):
        old = script(tmp_path / "python3.10", "exit 1")
        failed = subprocess.run(["make", "book", f"PYTHON={old}"], cwd=copy, capture_output=True, text=True)
        assert failed.returncode != 0
        assert f"needs Python 3.11 or newer, and {old} is not" in failed.stderr

    def test_a_second_call_sets_nothing_up(self, copy):
        (copy / ".venv").mkdir()
        (copy / ".venv" / "installed").touch()
        assert "pip install" not in run("make", "--dry-run", "book", cwd=copy)
        os.utime(copy / "requirements.txt", (4e9, 4e9))
        assert "pip install" in run("make", "--dry-run", "book", cwd=copy)

    @pytest.mark.parametrize(
        "fails", ["ruff", "lint-imports", "check-jsonschema", "zizmor", "pytest tests", "pytest --nbval"]
    )
    def test_make_test_runs_everything_and_fails_if_anything_does(self, copy, fails):
        (copy / ".venv" / "bin").mkdir(parents=True)
        for name in ("ruff", "lint-imports", "check-jsonschema", "zizmor", "python"):
            script(copy / ".venv" / "bin" / name, f'case "$0 $*" in *"{fails}"*) exit 5;; esac')
        (copy / ".venv" / "installed").touch()
        done = subprocess.run(["make", "test"], cwd=copy, capture_output=True, text=True)
        assert done.returncode != 0
        assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("$ ")] == [
            ".venv/bin/ruff",
            ".venv/bin/lint-imports",
            ".venv/bin/check-jsonschema",
            ".venv/bin/zizmor",
            ".venv/bin/python",
            ".venv/bin/python",
        ]

    def test_the_readme_gives_the_plain_commands_of_make_test(self):
        commands = re.findall(r"run \.venv/bin/(.*);", run("make", "--dry-run", "test"))
        assert len(commands) == 6
        assert all(f"`{command}`" in README for command in commands)

    def test_make_and_the_kernels_tell_the_libraries_the_same_number_of_threads(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        told = dict(re.findall(r"^export (\w+_THREADS) := (\d)$", makefile, re.M))
        assert len(told) > 3
        assert told.items() <= ONE_THREAD.items()

    def test_the_files_that_are_started_first_exist_and_are_collected_first(self, request, pytestconfig):
        longest = re.findall(r"^LONGEST \+?= \[(.*)\]$", (ROOT / "tests/conftest.py").read_text(encoding="utf-8"), re.M)
        files = [f"tests/{name}" for name in re.findall(r'"([\w/.]+)"', " ".join(longest))]
        assert len(files) > 2
        assert [name for name in files if not (ROOT / name).exists()] == []
        conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
        hook = pytestconfig.hook.pytest_collection_modifyitems
        assert conftest in [it.plugin for it in hook.get_hookimpls()]
        names = ["tests/test_show.py"] * 99 + files[::-1]
        items = [SimpleNamespace(path=ROOT / it, get_closest_marker=lambda name: None) for it in names]
        conftest.pytest_collection_modifyitems(pytestconfig, items)
        assert [it.path for it in items[: len(files)]] == [ROOT / name for name in files]
        # The same of what was collected for this very run: all files, if it is `make test`.
        order = [*dict.fromkeys(it.path.relative_to(ROOT).as_posix() for it in request.session.items)]
        known = [name for name in files if name in order]
        assert order[: len(known)] == known

    def test_a_warning_in_a_test_is_an_error_and_so_is_a_test_that_passes_against_expectation(self, pytestconfig):
        with pytest.raises(UserWarning, match="for a test"):
            warnings.warn("for a test", stacklevel=1)
        assert pytestconfig.getini("xfail_strict") is True

    def test_one_chapter_is_named_by_its_place(self):
        assert "canonical chapters/blocks/softmax.ipynb" in run("make", "-n", "notebooks", "CHAPTER=blocks/softmax")


class TestRequirements:
    WANTED = (ROOT / "requirements.in").read_text(encoding="utf-8")
    PINNED = (ROOT / "requirements.txt").read_text(encoding="utf-8")

    def test_every_package_is_pinned_to_one_public_version(self):
        for line in self.PINNED.splitlines():
            assert re.fullmatch(r"#.*|[\w.-]+==[\w.]+(; sys_platform == \"\w+\")?", line), line

    def test_the_packages_asked_for_are_there_and_pytorch_is_the_release_that_was_tested(self):
        assert set(ASKED_FOR) <= {name(line) for line in lines(self.WANTED)}
        assert "torch==2.13.0" in self.PINNED.splitlines()

    def test_the_pins_satisfy_what_was_asked_for(self):
        versions = dict(line.split(";")[0].split("==") for line in lines(self.PINNED))
        versions = {canonicalize_name(package): version for package, version in versions.items()}
        for line in lines(self.WANTED):
            wanted = Requirement(line)
            assert wanted.specifier.contains(versions[name(line)]), line

    def test_what_is_installed_is_what_is_pinned(self):
        pinned = [it for it in map(Requirement, lines(self.PINNED)) if not it.marker or it.marker.evaluate()]
        installed = {it.name: importlib.metadata.version(it.name).split("+")[0] for it in pinned}
        assert [str(it) for it in pinned if not it.specifier.contains(installed[it.name])] == []

    @pytest.mark.parametrize("python", ["3.11", "3.14"])
    @pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
    def test_the_pins_cover_all_that_they_need(self, system, python):
        pinned = {
            canonicalize_name(wanted.name)
            for wanted in map(Requirement, lines(self.PINNED))
            if packages(wanted, environment(system, python))
        }
        unpinned = needed(lines(self.WANTED), environment(system, python)) - pinned
        assert not [package for package in unpinned if not PARTS_OF_TORCH.match(package)]

    def test_every_pin_installs_on_the_oldest_python_of_the_book(self):
        oldest = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[1]
        for package in {name(line) for line in lines(self.PINNED) if ";" not in line}:
            accepted = importlib.metadata.metadata(package)["Requires-Python"] or ""
            assert SpecifierSet(accepted).contains(f"{oldest}.0"), f"{package} needs Python {accepted}"

    def test_a_renewed_pin_names_no_build_and_no_part_of_pytorch(self):
        frozen = "torch==2.13.0+cpu\npip==26.3\nnumpy==2.4.6\nnvidia-nccl-cu13==2.27\ntriton==3.5\nJinja2==3.1.6\n"
        elsewhere = ['colorama==0.4.6; sys_platform == "win32"']
        assert pins(frozen, elsewhere).splitlines() == [*elsewhere, "Jinja2==3.1.6", "numpy==2.4.6", "torch==2.13.0"]

    def test_other_systems_packages_are_told_from_the_rest(self):
        text = '# one\nnumpy\ntorch==2.13.0\nappnope; sys_platform == "darwin"\n'
        assert for_other_systems(text) == [("appnope", 'sys_platform == "darwin"')]


class TestContinuousIntegration:
    def test_the_workflow_is_valid(self):
        run(tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", WORKFLOW)

    def test_the_workflow_is_safe(self):
        run(tool("zizmor"), "--offline", "--quiet", "--persona=auditor", ".github")

    def test_the_workflow_runs_what_everyone_runs(self):
        everything = ["make test", "make processors SETS=foreign ONLY=chapters", "make book", "make pdf"]
        assert commands(workflow()["jobs"]["book"]) == everything
        assert commands(workflow()["jobs"]["elsewhere"]) == ["make processors"]

    def test_the_workflow_runs_on_every_push_and_fails_where_a_test_fails_or_is_skipped(self):
        assert workflow()[True] == {"push": None, "pull_request": None}  # in YAML 1.1, `on` is true
        jobs = workflow()["jobs"]
        published = "github.event_name == 'push' && github.ref == 'refs/heads/main'"
        conditions = {name: [it["if"] for it in (job, *job["steps"]) if "if" in it] for name, job in jobs.items()}
        assert conditions == {"book": [published], "elsewhere": [], "notebooks": [published], "publish": [published]}
        assert "if" not in jobs["book"]
        assert not [it for job in jobs.values() for it in (job, *job["steps"]) if "continue-on-error" in it]
        assert jobs["book"]["env"]["MLNOTES_REQUIRE_BROWSER"] == "1"

    def test_the_workflow_tests_on_three_systems_and_a_newer_python_and_publishes_after_the_first(self):
        jobs = workflow()["jobs"]
        assert jobs["book"]["runs-on"] == "ubuntu-24.04"
        matrix = jobs["elsewhere"]["strategy"]["matrix"]
        assert (matrix["system"], matrix["python"]) == (["ubuntu-24.04-arm", "macos-15"], ["3.11"])
        assert matrix["include"] == [{"system": "ubuntu-24.04", "python": "3.14", "sets": "own"}]
        assert jobs["publish"]["needs"] == "book"

    def test_every_action_runs_on_a_node_that_github_still_has(self):
        first_on_node_24 = {"checkout": 5, "setup-python": 6, "upload-artifact": 6, "download-artifact": 7}
        first_on_node_24 |= {"upload-pages-artifact": 5, "deploy-pages": 5}
        steps = [step["uses"] for job in workflow()["jobs"].values() for step in job["steps"] if "uses" in step]
        assert [it for it in steps if not re.fullmatch(r"actions/[\w-]+@v\d+", it)] == []
        used = [re.findall(r"[\w-]+", it.removeprefix("actions/").replace("@v", " ")) for it in steps]
        assert {name for name, _ in used} == {*first_on_node_24}
        assert [(name, major) for name, major in used if int(major) < first_on_node_24[name]] == []

    def test_the_script_for_bare_machines_is_executable_and_parses(self):
        assert (ROOT / ".ci" / "run").stat().st_mode & stat.S_IXUSR
        run("bash", "-n", ".ci/run")

    def test_it_runs_the_tests_and_the_build_and_demands_a_browser(self, bare):
        bare.has("make", 'echo "make $* $MLNOTES_REQUIRE_BROWSER"')
        bare.has("chromium")
        bare.has("git")
        done = bare.run()
        assert done.returncode == 0, done.stderr
        commands = ["make test", "make processors SETS=foreign ONLY=chapters", "make book"]
        assert done.stdout.splitlines() == [f"{command} PYTHON=python3 1" for command in commands]

    def test_it_fails_when_the_tests_do_or_when_there_are_none(self, bare):
        bare.has("make", "echo $1; exit 5")
        bare.has("chromium")
        bare.has("git")
        done = bare.run()
        assert done.returncode == 5
        assert done.stdout.splitlines() == ["test"]

    @pytest.mark.parametrize(("user", "sudo"), [(0, []), (1000, ["sudo -n env"])])
    def test_it_installs_what_is_lacking_as_root_and_tries_twice(self, bare, user, sudo):
        bare.has("make", "echo must not run")
        bare.has("git")
        bare.has("id", f"echo {user}")
        bare.has("apt-get", 'echo "apt-get $*"; exit 1')
        bare.has("sudo", 'echo "sudo $1 $2"; shift; "$@"')
        done = bare.run()
        assert done.returncode != 0
        assert done.stdout.splitlines() == ["Installing chromium", *sudo, "apt-get update -q"] * 2

    def test_a_library_that_the_driver_of_the_browser_needs_is_installed_too(self, bare):
        bare.has("make", "echo must not run")
        bare.has("git")
        bare.has("chromium")
        bare.has("id", "echo 0")
        bare.has("python3", 'case "$2" in *libatomic*) exit 1;; esac')
        bare.has("apt-get", 'echo "$*"')
        done = bare.run()
        assert done.returncode != 0
        assert done.stdout.splitlines()[-1] == "install -q -y --no-install-recommends libatomic1"
        assert "no libatomic" in done.stderr

    def test_it_goes_on_when_the_second_try_succeeds(self, bare):
        bare.has("make", "echo $1")
        bare.has("git")
        bare.has("id", "echo 0")
        bare.has("apt-get", 'cd "${0%/*}"; [ -e once ] || { echo > once; exit 1; }; echo > chromium; chmod +x chromium')
        done = bare.run()
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [*["Installing chromium"] * 2, "test", "processors", "book"]

    def test_it_fails_when_the_browser_is_still_lacking(self, bare):
        bare.has("make", "echo must not run")
        bare.has("git")
        bare.has("id", "echo 0")
        bare.has("apt-get")
        done = bare.run()
        assert done.returncode != 0
        assert "no Chromium" in done.stderr
        assert "must not run" not in done.stdout


class TestBrowser:
    NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
    PLACES = (
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Users\me\AppData\Local\Google\Chrome\Application\chrome.exe",
    )

    @pytest.mark.parametrize("there", [*NAMES, *PLACES])
    def test_it_is_found_on_the_path_and_where_chrome_is_installed(self, there, monkeypatch):
        monkeypatch.setenv("ProgramFiles", r"C:\Program Files")
        monkeypatch.setenv("LocalAppData", r"C:\Users\me\AppData\Local")
        monkeypatch.setattr(shutil, "which", lambda it: it if it == there else None)
        assert chromium() == there

    def test_there_may_be_none(self, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda it: None)
        assert chromium() is None

    def test_the_script_for_bare_machines_knows_the_same_names(self):
        script = (ROOT / ".ci/run").read_text(encoding="utf-8")
        assert tuple(re.search(r"names=\(([^)]+)\)", script)[1].split()) == self.NAMES


class TestFiles:
    def test_the_paths_in_the_readme_exist(self):
        paths = re.findall(r"\]\((?!\w+:|#)([^)#]+)", README) + re.findall(r"`((?:[\w.]+/)+[\w.]*)`", README)
        assert paths
        for path in paths:
            if not path.startswith((".venv/", "_build/")):
                assert (ROOT / path).exists(), path

    def test_the_picture_in_the_readme_is_small(self):
        assert (ROOT / "chapters/images/book.png").stat().st_size <= 200_000

    def test_the_top_level_is_as_agreed(self):
        the_owners = {"LICENSE", "CITATION.cff"}
        assert {path.parts[0] for path in files()} - the_owners == {
            *("_config.yml", "_toc.yml", "chapters", "mlnotes", "requirements.txt", "README.md", "tests"),
            *("pyproject.toml", "requirements.in", "Makefile", "benchmarks", ".ci", ".github", ".binder", ".gitignore"),
        }

    def test_no_file_names_a_package_index_or_a_place_on_one_machine(self):
        index = "|".join(["pypi" + r"\.org", "python" + "hosted", r"download\.pytorch", "registry" + r"\.npmjs"])
        place = r"(?<![\w.])/(work|root|opt|home|Users)/(?!me/)\w+/"
        for path in files():
            try:
                text = (ROOT / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            found = re.search(f"{index}|{place}", text)
            assert not found, f"{path}: {found[0]}"

    def test_text_is_read_and_written_in_an_encoding_that_is_named(self):
        # Ruff has a rule for this (PLW1514), which is not stable yet and misses a method of what `/` gives.
        assert [
            f"{path}:{node.lineno}"
            for path in files()
            if path.suffix == ".py"
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and opens_text(node)
            if "encoding" not in [it.arg for it in node.keywords]
        ] == []

    def test_every_benchmark_asserts_a_right_result(self, monkeypatch, capfd):
        # In this process, which has loaded most of what they need.
        monkeypatch.setitem(sys.modules, "conftest", sys.modules["conftest"])
        monkeypatch.setattr(sys, "path", [*sys.path])
        benchmarks = sample(map(str, (ROOT / "benchmarks").glob("bench_*.py")), EVERY // 8, lambda it: Path(it).stem)
        assert benchmarks
        status = pytest.main(["-q", "-p", "no:cacheprovider", "--benchmark-disable", *benchmarks])
        assert status == 0, capfd.readouterr().out


@pytest.fixture
def copy(tmp_path):
    """The Makefile and what it looks at, in a folder with a space in its name."""
    folder = tmp_path / "a copy"
    folder.mkdir()
    for file in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy2(ROOT / file, folder)
    return folder


class Bare:
    """A machine that has Python and the commands it is given."""

    def __init__(self, folder):
        self.bin = folder / "bin"
        self.bin.mkdir()
        (folder / ".ci").mkdir()
        self.script = shutil.copy2(ROOT / ".ci" / "run", folder / ".ci")
        for command in ("bash", "chmod", "dirname", "env"):
            (self.bin / command).symlink_to(shutil.which(command))
        self.has("python3")

    def has(self, command, text="exit 0"):
        script(self.bin / command, text)

    def run(self):
        environment = {"PATH": str(self.bin)}
        return subprocess.run([self.script], env=environment, capture_output=True, text=True)


@pytest.fixture
def bare(tmp_path):
    return Bare(tmp_path)


def run(*command, cwd=ROOT):
    done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


def workflow():
    return yaml.safe_load((ROOT / WORKFLOW).read_text(encoding="utf-8"))


def commands(job):
    return [step["run"] for step in job["steps"] if "run" in step]


def script(path, text):
    path.write_text(f"#!{shutil.which('bash')}\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def tool(name):
    """Find a command of this environment; a missing one is an error, not a skip."""
    path = shutil.which(name, path=str(Path(sys.executable).parent))
    assert path, f"{name} is not installed beside {sys.executable}: pip install -r requirements.txt"
    return path


def files():
    """What is or would be committed."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [path for path in map(Path, listed.rstrip("\0").split("\0")) if (ROOT / path).exists()]


def opens_text(call):
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    modes = [it.value for it in call.args if isinstance(it, ast.Constant)]
    return name in ("read_text", "write_text") or (name == "open" and {"r", "w", "a", "x"} & {*modes})


def lines(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def name(line):
    return canonicalize_name(Requirement(line).name)


def environment(system, python):
    return {
        "sys_platform": system,
        "os_name": "nt" if system == "win32" else "posix",
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system],
        "python_version": python,
        "python_full_version": f"{python}.9",
    }


def needed(wanted, environment):
    """Follow what the installed packages say they need, on a system that may be another one."""
    ahead = {package for line in wanted for package in packages(Requirement(line), environment)}
    found = set()
    while ahead:
        package, extra = ahead.pop()
        found.add((package, extra))
        for requirement in below(package):
            ahead |= packages(requirement, environment, extra) - found
    return {package for package, _ in found}


@functools.cache
def below(package):
    """Read what an installed package says it needs, on every system."""
    try:
        return [Requirement(line) for line in importlib.metadata.requires(package) or []]
    except importlib.metadata.PackageNotFoundError:
        return []  # only needed on another system


def packages(requirement, environment, extra=""):
    """Name what a requirement brings, once plain and once for each of its own extras."""
    if requirement.marker and not requirement.marker.evaluate({**environment, "extra": extra}):
        return set()
    return {(canonicalize_name(requirement.name), extra) for extra in ["", *requirement.extras]}
