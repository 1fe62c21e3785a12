"""Every claim that a fixture's comments make holds, every target and every finding in it is claimed, and its files are what they say."""
from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flow_comments import Claim, claims, findings, spoken, trainings
from sarif_schema import valid

from flowcheck.analyzer.json_report import dumps
from flowcheck.analyzer.judging import judge_all
from flowcheck.analyzer.options import read_serve_args
from flowcheck.analyzer.pipeline import analyze
from flowcheck.analyzer.request import Request
from flowcheck.analyzer.results import Analysis, Wiring
from flowcheck.analyzer.rule import Severity
from flowcheck.analyzer.sarif import sarif_log
from flowcheck.analyzer.told import Told
from flowcheck.rules import RULES

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("*/case.toml"))
FACTS = ("FC301", "FC303", "FC307")
"""What is only known of the default and of ids at the edges: the claims of the setters say it too, so that not each is claimed again."""
SHARED = ("utils.py", "layers/layernorm.py", "layers/logits_processor.py", "models/blocks.py")
"""Files that all trees have alike, as far as they have them."""


def sources(case: Path) -> list[Path]:
    return sorted((case / "tree").rglob("*.py"))


@cache
def claimed(case: Path) -> tuple[Claim, ...]:
    return tuple(claim for path in sources(case) for claim in claims(path))


@cache
def run(case: Path, layers: int | None, config: str | None) -> Analysis:
    """All that the fixture's claims ask for this layer count and config, in one run; without a layer count the bare run."""
    asked = tuple(dict.fromkeys(c.ids for c in claimed(case) if (c.layers, c.config) == (layers, config)))
    target = str(case / "configs" / config) if config else None
    ids = None if layers is None else asked
    return analyze(Request(str(case / "tree"), target=target, layers=layers, ids=ids, flow_file=flow_file(case), judged=True))


def flow_file(case: Path) -> str | None:
    """The file that describes the case's flow, where it is none of those that are built in."""
    named = story(case).get("flow_file")
    return None if named is None else str(case / named)


def meant(claim: Claim, found: Analysis) -> list[Wiring]:
    """The wirings that a claim is about: those of the setter, or that of the class, which begins at its line."""
    line = claim.file.read_text("utf-8").splitlines()[claim.line - 1].split()
    if line[0] == "class":
        name = line[1].partition("(")[0].rstrip(":")
        return [wiring for wiring in found.wirings if wiring.model == name and claim.flow in (None, wiring.flow)]
    own = {(target, other.flow) for other in claimed(case_of(claim.file)) for target in named_class(other)}
    here = (w for w in found.wirings if same(w.at.file, claim.file) and w.at.line == claim.line)
    return [w for w in here if not own & {(w.model, None), (w.model, w.flow)}]


def named_class(claim: Claim) -> list[str]:
    line = claim.file.read_text("utf-8").splitlines()[claim.line - 1].split()
    return [line[1].partition("(")[0].rstrip(":")] if line[0] == "class" else []


def spot(code: str, path: Path, line: int) -> tuple[str, Path, int]:
    return code, path.resolve(), 0 if code == "FC901" else line


def same(printed: str, path: Path) -> bool:
    return Path(printed).resolve() == path.resolve()


def case_of(path: Path) -> Path:
    return FIXTURES / path.relative_to(FIXTURES).parts[0]


def story(case: Path) -> dict[str, Any]:
    """``gap`` is there where a run without a config does not come to an end yet. A case with a ``trainer`` (its folder in the tree) and a
    ``target`` config says what is found with each of its ``drafts``, launched with its
    ``serve_args``: the codes, in order. ``served`` says for ``draft.json with
    target.json`` by which flow the draft is served and what it is given: ``dflash: out:3, out:19``; a known gap is told as in a claim."""
    return tomllib.loads((case / "case.toml").read_text("utf-8"))


def with_draft(case: Path, draft: str) -> Analysis:
    """The check of one of the case's drafts."""
    said = story(case)
    target, trainer = str(case / "configs" / said["target"]), str(case / "tree" / said["trainer"])
    flags = read_serve_args(said.get("serve_args"))
    asked = Request(str(case / "tree"), target=target, draft=str(case / "configs" / draft), train=trainer, judged=True, serve_args=flags)
    return analyze(asked)


def gap_of(case: Path) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(run=False, reason=story(case)["gap"])] if "gap" in story(case) else []


def marks(case: Path, claim: Claim) -> list[pytest.MarkDecorator]:
    if claim.config is None and (gap := gap_of(case)):
        return gap
    return [pytest.mark.xfail(strict=True, reason=claim.gap)] if claim.gap else []


def test_there_are_fixtures() -> None:
    assert len(CASES) > 30


CLAIMS = [pytest.param(case, claim, id=f"{case.name}/{claim.text}", marks=marks(case, claim)) for case in CASES for claim in claimed(case)]
BARE = [pytest.param(case, id=case.name, marks=gap_of(case)) for case in CASES]


@pytest.mark.parametrize(("case", "claim"), CLAIMS)
def test_claim(case: Path, claim: Claim) -> None:
    wirings = meant(claim, run(case, claim.layers, claim.config))
    assert wirings, "no target has its setter here"
    for wiring in wirings:
        (evaluation,) = (each for each in wiring.evaluated if each.ids == claim.ids)
        assert spoken(evaluation) == claim.says, f"{wiring.model}: {evaluation.reason} {evaluation.reason_at}"


@pytest.mark.parametrize("case", BARE)
class TestBareRun:
    def test_every_target_is_claimed(self, case: Path) -> None:
        bare = run(case, None, None)
        about = {(wiring.model, wiring.setter) for claim in claimed(case) for wiring in meant(claim, bare)}
        assert {(wiring.model, wiring.setter) for wiring in bare.wirings} == about

    def test_every_step_is_told_in_a_line(self, case: Path) -> None:
        """Also where a value is one of many."""
        steps = (step for wiring in run(case, None, None).wirings for row in wiring.evaluated for step in row.path)
        assert max((len(text) for step in steps for text in (step.label, step.before, step.after)), default=0) < 200

    def test_what_is_found_is_sound_as_sarif(self, case: Path) -> None:
        judged = judge_all(run(case, None, None), RULES)
        (told,) = valid(dumps(sarif_log([Told(run(case, None, None), judged.findings, judged.aside)], RULES)))["runs"]
        assert len(told["results"]) == len(judged.findings) + len(judged.aside)

    def test_every_finding_is_claimed(self, case: Path) -> None:
        """Of what is not established only the file is compared; where a claim is a known gap there may be more of it."""
        judged = judge_all(run(case, None, None), RULES).findings
        found = {spot(f.code, Path(f.at.file), f.at.line) for f in judged}
        facts = {spot(f.code, Path(f.at.file), f.at.line) for f in judged if f.code in FACTS and f.severity == Severity.INFO}
        said = {spot(each.code, each.file, each.line) for path in sources(case) for each in findings(path) if not each.draft}
        gaps = any(claim.gap for claim in claimed(case))
        assert said <= found
        assert {each for each in found - said - facts if not (gaps and each[0] == "FC901")} == set()


def served(case: Path) -> Iterator[tuple[str, str, str, str]]:
    """Each draft, the target that it is served by, what is said of it, and the gap if it is a known one."""
    for pair, says in story(case).get("served", {}).items():
        draft, _, target = pair.partition(" with ")
        claim, _, gap = says.partition("; a known gap: ")
        yield draft, target, claim, gap


SERVED = [
    pytest.param(
        case, draft, target, says, id=f"{case.name}/{draft} with {target}", marks=pytest.mark.xfail(strict=True, reason=gap) if gap else ()
    )
    for case in CASES
    for draft, target, says, gap in served(case)
]


@pytest.mark.parametrize(("case", "draft", "target", "says"), SERVED)
def test_served(case: Path, draft: str, target: str, says: str) -> None:
    configs = case / "configs"
    asked = Request(str(case / "tree"), target=str(configs / target), draft=str(configs / draft), flow_file=flow_file(case))
    (comparison,) = analyze(asked).comparisons
    side = comparison.served
    assert side.points is not None, f"{side.reason} {side.reason_at}"
    assert f"{comparison.flow}: {', '.join(side.points)}" == says


TRAINED = [case for case in CASES if "trainer" in story(case)]
DRAFTS = [pytest.param(case, draft, found, id=f"{case.name}/{draft}") for case in TRAINED for draft, found in story(case)["drafts"].items()]


@pytest.mark.parametrize("case", TRAINED, ids=lambda case: case.name)
def test_trained(case: Path) -> None:
    (claim,) = (claim for path in sources(case) for claim in trainings(path))
    (comparison,) = with_draft(case, next(iter(story(case)["drafts"]))).comparisons
    side = comparison.trained
    assert side is not None
    assert side.points == tuple(claim.says.split(", ")), side.reason
    assert same(side.path[-1].at.file, claim.file) and side.path[-1].at.line == claim.line
    assert claim.config == story(case)["target"]


@pytest.mark.parametrize(("case", "draft", "found"), DRAFTS)
def test_draft(case: Path, draft: str, found: str) -> None:
    loud = [finding for finding in judge_all(with_draft(case, draft), RULES).findings if finding.severity > Severity.INFO]
    assert sorted({finding.code for finding in loud}) == ([] if found == "nothing" else found.split(", "))
    said = [each for path in sources(case) for each in findings(path)]
    claimed = {spot(each.code, each.file, each.line) for each in said if each.draft == draft}
    bare = {spot(each.code, each.file, each.line) for each in said if not each.draft}
    told = {spot(each.code, Path(each.at.file), each.at.line) for each in loud}
    assert claimed <= told
    assert told - bare == claimed or not any(each.draft for each in said)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
class TestFiles:
    def test_it_tells_its_story(self, case: Path) -> None:
        told = story(case)
        assert set(told) - {"gap", "target", "trainer", "drafts", "served", "serve_args", "flow_file"} == {"story", "source"}
        assert all(isinstance(text, str) and text for key, text in told.items() if key not in ("drafts", "served"))

    def test_every_config_is_used(self, case: Path) -> None:
        drafts = {*story(case).get("drafts", ()), *(name for draft, target, *_ in served(case) for name in (draft, target))}
        assert {path.name for path in case.glob("configs/*")} == {claim.config for claim in claimed(case) if claim.config} | drafts

    def test_shared_files_are_alike(self, case: Path) -> None:
        for name in SHARED:
            mine = case / "tree/sglang/srt" / name
            assert not mine.exists() or mine.read_text("utf-8") == (FIXTURES / "llama-like/tree/sglang/srt" / name).read_text("utf-8")
