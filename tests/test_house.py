"""The house rules: what is packaged, who may import whom, what is never used, and how long things may grow."""
from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from flowcheck.analyzer.cli import main
from flowcheck.analyzer.flows.shape import Shape, flow_shape
from flowcheck.analyzer.graph import NODE_KINDS
from flowcheck.rules import RULES

ROOT = Path(__file__).resolve().parents[1]
FLOW = flow_shape(whole=True).properties
ASSUMPTION = (FLOW["assumption"].items or Shape()).properties

LAYERS: tuple[tuple[str, ...], ...] = (
    ("frozen", "memory", "steps"),
    ("location", "nearest", "reasons", "help_texts"),
    ("surroundings",),
    ("launches", "other_ways", "setter_facts", "manual"),
    ("errors", "results", "layout", "json_text", "request", "escape", "scope"),
    ("repository",),
    (
        "archive", "folder", "installed", "revision", "meaning", "text", "index", "ir", "options", "graph", "agreement", "json_file",
        "toml_file", "chart", "wrapping",
    ),
    ("source", "values", "lower", "configs", "output", "fold", "traces", "suppressions", "timings", "progress", "looks"),
    ("library", "trainer", "contract_file", "weights", "excerpts", "watching"),
    ("interpret", "flows", "entries"),
    ("points", "target", "setting_values", "keys", "training_facts", "lifecycle", "exports", "convention", "coverage"),
    ("outcome", "fates", "gating", "selections", "entering", "drafts"),
    ("alternatives",),
    ("answers",),
    ("runs",),
    ("evaluation", "judgement"),
    ("marks", "reach", "detours", "finding", "flow_check"),
    ("wiring", "training", "engine_use"),
    ("extractions",),
    ("valueflow",),
    ("serving", "binding"),
    ("ways",),
    ("id_sources",),
    ("trainings",),
    ("comparison", "trained", "following", "contract", "trace", "opening"),
    ("launched", "siblings"),
    ("rule",),
    ("judging", "breach"),
    ("rules",),
    ("paths", "contracts"),
    ("contract_settings",),
    ("pipeline", "symbols", "settings"),
    ("baseline", "finding_changes"),
    ("checked",),
    ("told", "fingerprints"),
    ("json_report", "files_report", "behaviour", "picture", "verdicts", "comment", "path_diagram"),
    ("sarif_places", "sarif_rules", "junit"),
    ("report", "rule_pages", "sarif_results", "captions", "contract_json", "trace_json", "kept_json", "difference"),
    ("feeds", "diff_groups"),
    ("diffing",),
    ("flow_chart", "models_chart"),
    ("graph_report", "draw", "mermaid", "contract_report", "trace_report", "kept_report", "diff_report", "diff_json"),
    ("pipeline_chart", "path_chart", "compare_chart"),
    ("concise", "github", "check_comment", "sarif", "told_contracts", "diff_told"),
    ("formats", "diff_comment"),
    ("views",),
    ("drawings", "contract_command", "check_command"),
    ("graph_command", "diff_command"),
    ("trace_command",),
    ("given", "completion"),
    ("arguments", "invocation"),
    ("commands",),
    ("cli",),
    ("entry",),
)
"""The lowest first. A file of ``analyzer/`` is called by its name, a folder by its own; a file imports from lower rows only."""

LIBRARIES = {
    "libcst": ("lower",), "networkx": ("graph",), "graphviz": ("draw",), "rich": ("progress",), "typer": ("arguments", "commands", "cli"),
}  # fmt: skip
"""Each library from outside has one room; the command line has three."""

BANNED_MODULES = {"pickle", "marshal", "shelve", "dill", "runpy", "imp", "code", "codeop"}
BANNED_CALLS = {"eval", "exec", "compile", "__import__"}
HARMLESS = ("importlib.metadata", "importlib.resources")
"""All else below ``importlib`` can run what it finds."""
LONGEST_FILE = 350
LONGEST_FUNCTION = 45
LISTS = {"analyzer/ir.py": 500}
"""Files that are lists of declarations, and the length that they may have."""


def sources() -> list[Path]:
    return sorted(path for top in ("analyzer", "rules") for path in (ROOT / top).rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room(path: Path) -> str:
    """What the table calls the file, or the module that an import names."""
    top, *inner = path.relative_to(ROOT).with_suffix("").parts
    return top if top != "analyzer" or not inner else inner[0]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def imported_rooms(path: Path) -> Iterator[tuple[str, int]]:
    """The rooms of this project that a file imports from, type-only imports too, with the line."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((found, node.lineno) for alias in node.names if (found := project_room(alias.name)))
        elif isinstance(node, ast.ImportFrom):
            yield from ((found, node.lineno) for module in targets(path, node) if (found := project_room(module)))


def targets(path: Path, node: ast.ImportFrom) -> list[str]:
    """The modules that ``from … import …`` names: ``from . import ir`` names one for each alias."""
    module = node.module or ""
    if node.level:
        package = ["flowcheck", *path.relative_to(ROOT).parent.parts]
        module = ".".join([*package[: len(package) - node.level + 1], *module.split(".")]).rstrip(".")
    is_package = module in ("flowcheck", "flowcheck.analyzer")
    return [f"{module}.{alias.name}" for alias in node.names] if is_package else [module]


def project_room(module: str) -> str | None:
    top, *inner = module.split(".")
    if top != "flowcheck" or not inner:
        return None
    return inner[1] if inner[0] == "analyzer" and len(inner) > 1 else inner[0]


def parameters(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=name)


@parameters([path for path in sources() if room(path) not in ("__init__", "analyzer")])
def test_imports_go_down(path: Path) -> None:
    rows = {unit: number for number, row in enumerate(LAYERS) for unit in row}
    mine = room(path)
    assert mine in rows, f"give {mine} a row in LAYERS"
    for other, line in imported_rooms(path):
        assert other == mine or rows.get(other, len(LAYERS)) < rows[mine], f"{name(path)}:{line} imports {other}"


def test_every_room_is_in_one_row() -> None:
    units = [unit for row in LAYERS for unit in row]
    assert len(units) == len(set(units))
    assert set(units) == {room(path) for path in sources()} - {"__init__", "analyzer"}


def foreign_modules(path: Path) -> Iterator[tuple[str, str]]:
    """The modules from outside that a file imports, and the place."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, f"{name(path)}:{node.lineno}") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((f"{node.module}.{alias.name}", f"{name(path)}:{node.lineno}") for alias in node.names)


@parameters(sources())
def test_each_library_has_one_room(path: Path) -> None:
    for module, place in foreign_modules(path):
        top = module.split(".")[0]
        assert room(path) in LIBRARIES.get(top, (room(path),)), f"{place} imports {module}"
        assert top not in BANNED_MODULES, f"{place} imports {module}"
        assert top != "importlib" or module.startswith(HARMLESS), f"{place} imports {module}"


@parameters(sources())
def test_nothing_is_executed(path: Path) -> None:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "builtins":
                assert called.attr not in BANNED_CALLS, f"{name(path)}:{node.lineno}"
            elif isinstance(called, ast.Name):
                assert called.id not in BANNED_CALLS, f"{name(path)}:{node.lineno}"


@parameters(sources())
def test_files_and_functions_are_short(path: Path) -> None:
    lines = path.read_bytes().count(b"\n")
    assert lines < LISTS.get(name(path), LONGEST_FILE), f"{name(path)} has {lines} lines"
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{name(path)}:{node.lineno} {node.name} has {length} lines"


class TestPackaging:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]

    def test_every_folder_with_code_or_data_is_packaged(self) -> None:
        data = {ending.removeprefix("*") for ending in self.settings["package-data"]["*"] if ending.startswith("*")}
        files = (path for top in ("analyzer", "rules") for path in (ROOT / top).rglob("*") if path.suffix in {".py", *data})
        folders = {name(path.parent) for path in files}
        assert folders == set(self.settings["package-dir"].values())
        assert set(self.settings["packages"]) == set(self.settings["package-dir"])

    def test_a_package_is_called_after_its_folder(self) -> None:
        for package, folder in self.settings["package-dir"].items():
            assert (package, folder) == ("flowcheck", "analyzer/entry") or package == "flowcheck." + folder.replace("/", ".")

    def test_the_top_level_has_few_rooms(self) -> None:
        allowed = {"analyzer", "rules", "tests", "fixtures", "pyproject.toml", "README.md", "LICENSE", "action.yml"}
        ignored = {line.rstrip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()}
        found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".") and path.name not in ignored}
        assert {entry for entry in found if not entry.endswith(".egg-info")} <= allowed


@pytest.mark.skipif(not (ROOT / "analyzer/cli.py").exists(), reason="there is no command line yet")
def test_help_imports_no_heavy_library() -> None:
    run = subprocess.run([sys.executable, "-X", "importtime", "-m", "flowcheck", "--help"], capture_output=True, text=True, check=True)
    imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in run.stderr.splitlines() if line.startswith("import time:")}
    assert "typer" in imported
    assert not imported & {"libcst", "networkx", "graphviz"}


def test_only_a_graph_needs_networkx() -> None:
    code = "import sys, flowcheck.analyzer.pipeline; print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {module.split(".")[0] for module in run.stdout.split()} & {"networkx", "graphviz", "typer"}
    assert not {"flowcheck.analyzer.graph", "flowcheck.analyzer.following"} & set(run.stdout.split())


class TestReadme:
    text = (ROOT / "README.md").read_text("utf-8")

    @pytest.mark.parametrize("mark", ["run", "test"])
    def test_each_command_is_marked_once(self, mark: str) -> None:
        blocks = re.findall(rf"<!-- command: {mark} -->\n+```sh\n(.+?)\n```", self.text, re.DOTALL)
        assert len(blocks) == 1
        assert "\n" not in blocks[0]
        assert "venv" in blocks[0]

    def test_the_story_is_told_as_the_first_command_says(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """The arguments in README's first command, in this process: one finding, with both ways."""
        found = re.search(r"cd (fixtures/\S+) && \S*flowcheck (.*?) \|\|", self.text)
        assert found is not None
        monkeypatch.chdir(ROOT / found[1])
        with pytest.raises(SystemExit) as ended:
            main(found[2].split())
        told = capsys.readouterr().out
        assert ended.value.code == 1
        assert "FC101 served embed, out:2, out:30, trained out:2, out:30, out:58, same width 21504" in told
        assert told.count(" FC101 ") == 1
        assert "tree/sglang/srt/models/deepseek_like.py" in told
        assert "tree/draft_training/standardize.py" in told

    def test_the_table_of_rules_is_that_of_the_rules(self) -> None:
        rows = [f"| {rule.code} | {rule.name} | {rule.severity} | {rule.summary} |" for rule in RULES]
        assert re.findall(r"^\| FC.*$", self.text, re.MULTILINE) == rows

    def test_every_file_it_names_is_there(self) -> None:
        named = re.findall(r"`((?:analyzer|rules|tests|fixtures|\.ci)/[\w./-]*)`", self.text)
        assert [path for path in named if not (ROOT / path).exists()] == []

    @pytest.mark.parametrize("file", ["common.toml", "sglang.toml", "vllm.toml", "training.toml"])
    def test_the_assumptions_are_those_of_the_data(self, file: str) -> None:
        described = tomllib.loads((ROOT / "analyzer/flows" / file).read_text("utf-8"))["assumption"]
        rows = [f"| {each['name']} | {each['text']} |" for each in described]
        assert [line for line in rows if line not in self.text.splitlines()] == []

    @pytest.mark.parametrize("file", ["common.toml", "sglang.toml", "vllm.toml", "training.toml"])
    def test_every_assumption_is_made_somewhere(self, file: str) -> None:
        described = tomllib.loads((ROOT / "analyzer/flows" / file).read_text("utf-8"))["assumption"]
        code = "\n".join(path.read_text("utf-8") for path in (ROOT / "analyzer").rglob("*.py"))
        by_code = [each["name"] for each in described if each.keys() <= {"name", "text"}]
        assert [name for name in by_code if f'"{name}"' not in code] == []

    @pytest.mark.parametrize("folder", ["interpret", "valueflow"])
    def test_the_rooms_of_a_folder_are_those_that_are_there(self, folder: str) -> None:
        table = self.text.partition(f"| in `{folder}/` |")[2].partition("\n\n")[0]
        named = [room for row in table.splitlines()[2:] for room in re.findall(r"`(\w+)`", row.split("|")[1])]
        assert sorted(named) == sorted(path.stem for path in (ROOT / "analyzer" / folder).glob("[!_]*.py"))

    @pytest.mark.parametrize(
        "keys",
        [FLOW, *(way.properties for way in FLOW["sink"].ways), *(FLOW[name].properties for name in ("pipeline", "boundaries")), ASSUMPTION],
        ids=["flow", "sink", "returned", "pipeline", "boundaries", "assumption"],
    )  # fmt: skip
    def test_the_keys_of_a_flow_are_all_described(self, keys: tuple[str, ...]) -> None:
        table = self.text.partition("## Describe a flow")[2].partition("\n## ")[0]
        rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("|")]
        described = {key for row in rows for name in re.findall(r"`([^`]+)`", row) for key in re.findall(r"\w+", name)}
        assert set(keys) - described == set()

    def test_every_kind_of_place_is_described(self) -> None:
        table = self.text.partition("| kind of place |")[2].partition("\n\n")[0]
        assert sorted(re.findall(r"`(\w+)`", "".join(row.split("|")[1] for row in table.splitlines()[2:]))) == sorted(NODE_KINDS)
