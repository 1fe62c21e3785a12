"""SARIF: valid against the published schema whatever is found, with the ways of both sides, and names of findings that stay."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from results_examples import analysis
from sarif_schema import valid
from told_examples import CHANGED, EDGE, FACT, HOSTILE, MISMATCH, SETTER, STALE, hostile, told

from flowcheck.analyzer.escape import terminal
from flowcheck.analyzer.formats import renderers
from flowcheck.analyzer.judging import SetAside
from flowcheck.analyzer.report import Detail
from flowcheck.analyzer.results import Location
from flowcheck.analyzer.rule import Finding, Severity
from flowcheck.analyzer.told import Told
from flowcheck.analyzer.trainer import MODEL_PRINTED
from flowcheck.rules import RULES


def log(*each: Told, verbose: bool = False) -> dict[str, Any]:
    """The log as it is written, held against the schema."""
    render = renderers(each, RULES, Severity.WARNING, Detail(verbose=verbose))["sarif"]
    return valid(render(False))


def results(*each: Told, verbose: bool = False) -> list[dict[str, Any]]:
    """The results of the one run."""
    (run,) = log(*each, verbose=verbose)["runs"]
    found: list[dict[str, Any]] = run["results"]
    return found


def place(location: Mapping[str, Any]) -> str:
    """``uri:line:column``, and the symbol."""
    physical, logical = location["physicalLocation"], location.get("logicalLocations", [{}])
    region = physical["region"]
    symbol = logical[0].get("fullyQualifiedName", "")
    return f"{physical['artifactLocation']['uri']}:{region['startLine']}:{region['startColumn']} {symbol}".rstrip()


def fingerprint(finding: Finding, **changed: object) -> str:
    (found,) = results(told(replace(finding, **changed)))  # type: ignore[arg-type]
    (value,) = found["partialFingerprints"].values()
    return str(value)


def objects(node: object, key: str) -> Iterator[Any]:
    """All that stands under a key, anywhere."""
    if isinstance(node, dict):
        yield from (value for name, value in node.items() if name == key)
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(child, key)


class TestResult:
    def test_it_says_what_is_wrong_where(self) -> None:
        (found,) = results(told(MISMATCH))
        assert (found["ruleId"], found["level"]) == ("FC101", "error")
        assert [place(each) for each in found["locations"]] == ["drafts/a.json:4:3 eagle_config.ids"]
        assert found["message"]["text"] == (
            "served out:1, trained out:2: ids [1] at drafts/a.json:4\n"
            "The training side begins at [trainer/hooks.py:20](1).\n"
            "Help: ids [2] make it capture what was trained"
        )
        assert found["properties"] == {
            "flow": "eagle3", "model": "LlamaForCausalLM", "draft": "drafts/a.json", "expected": "out:2", "actual": "out:1",
            "help": "ids [2] make it capture what was trained",
        }  # fmt: skip

    def test_every_hop_of_both_sides(self) -> None:
        """Two threads: the training side has run first."""
        (found,) = results(told(MISMATCH))
        (flow,) = found["codeFlows"]
        threads = {thread["id"]: thread["locations"] for thread in flow["threadFlows"]}
        told_of = {
            name: [(each["executionOrder"], place(each["location"]), each["location"]["message"]["text"]) for each in hops]
            for name, hops in threads.items()
        }
        assert told_of == {
            "serving": [
                (3, "drafts/a.json:4:1 eagle_config.ids", "key: ids -> [1]"),
                (4, "engine/llama.py:70:1 LlamaForCausalLM.set_layers", "argument ids: [1] -> [1]"),
                (5, "engine/llama.py:70:1 LlamaForCausalLM.set_layers", "+ 1: [1] -> [2]"),
            ],
            "training": [
                (1, "trainer/hooks.py:20:1", "hook: forward hook -> layer 2"),
                (2, "trainer/hooks.py:20:1", "concatenated: 1 parts -> out:2"),
            ],
        }

    def test_the_training_side_is_related(self) -> None:
        (found,) = results(told(MISMATCH))
        related = [(each["id"], place(each), each["message"]["text"]) for each in found["relatedLocations"]]
        assert related == [
            (1, "trainer/hooks.py:20:1", "hook: forward hook -> layer 2"),
            (2, "trainer/hooks.py:20:1", "concatenated: 1 parts -> out:2"),
        ]

    def test_what_follows_is_related_and_no_result(self) -> None:
        """One defect, one finding: code scanning makes an alert of each result."""
        (found,) = results(told(replace(STALE, consequences=(MISMATCH,))))
        (related,) = found["relatedLocations"]
        assert related["message"]["text"] == "so error FC101 served out:1, trained out:2: ids [1] at drafts/a.json:4"
        assert found["properties"]["consequences"][0]["code"] == "FC101"

    def test_what_stands_there(self) -> None:
        (found,) = results(told(MISMATCH))
        assert found["locations"][0]["physicalLocation"]["region"]["snippet"]["text"] == '"ids": [1]'

    def test_without_a_path_there_is_no_flow(self) -> None:
        (found,) = results(told(EDGE))
        assert not {"codeFlows", "relatedLocations", "suppressions", "baselineState"} & set(found)

    def test_what_is_no_file_is_a_name(self) -> None:
        for file, name in (("", "the source"), (MODEL_PRINTED, MODEL_PRINTED)):
            (found,) = results(told(replace(STALE, at=Location(file, 1))))
            assert found["locations"] == [{"logicalLocations": [{"name": name}]}]

    def test_a_message_makes_no_links(self) -> None:
        (found,) = results(told(replace(STALE, message="layers[i](hidden)")))
        assert found["message"]["text"] == "layers[i] (hidden)"


class TestFingerprints:
    def test_they_stay_while_lines_and_words_change(self) -> None:
        assert fingerprint(STALE) == fingerprint(STALE, at=Location(SETTER.file, 69), message="line 69", severity=Severity.ERROR)

    def test_they_are_the_same_in_an_archive_and_in_a_revision(self) -> None:
        for root, revision in (("lib/engine.whl", None), ("main:python", "main")):
            each = told(replace(STALE, at=Location(f"{root}/{SETTER.file}", SETTER.line)))
            source = replace(each.analysis.source, root=root, revision=revision)
            content = each.analysis.around.content
            around = replace(each.analysis.around, content=lambda file, root=root, content=content: content(file.removeprefix(f"{root}/")))
            here = told(STALE)
            plain = replace(here, analysis=replace(here.analysis, source=replace(here.analysis.source, root=".")))
            (moved,), (known,) = results(replace(each, analysis=replace(each.analysis, source=source, around=around))), results(plain)
            assert moved["partialFingerprints"] == known["partialFingerprints"]

    @pytest.mark.parametrize(
        "changed",
        [
            {"code": "FC209"}, {"at": Location(SETTER.file, 2)}, {"at": Location("b.py", 70)}, {"flow": "dflash"}, {"model": "M"},
            {"draft": "d.json"},
        ],
        ids=str,
    )
    def test_they_tell_findings_apart(self, changed: dict[str, object]) -> None:
        assert fingerprint(STALE) != fingerprint(STALE, **changed)

    def test_those_that_are_alike_are_numbered_down_the_file(self) -> None:
        lower = replace(STALE, at=Location(SETTER.file, 69))
        first, second = (found["partialFingerprints"]["flowcheck/v1"] for found in results(told(STALE, lower)))
        assert (first[-2:], second[-2:]) == (":2", ":1")
        assert first[:-2] == second[:-2]


class TestUris:
    @pytest.mark.parametrize(
        ("file", "uri"),
        [
            ("a b/ü%.py", "a%20b/%C3%BC%25.py"),
            ("a:b.py", "a%3Ab.py"),
            ("../up.py", "../up.py"),
            ("odd\udcff.py", "odd%FF.py"),
        ],
    )
    def test_of_a_path_below_the_working_directory(self, file: str, uri: str) -> None:
        (found,) = results(told(replace(STALE, at=Location(file, 1))))
        assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}

    @pytest.mark.skipif(os.name != "posix", reason="a path of POSIX")
    def test_of_an_absolute_path(self) -> None:
        (found,) = results(told(replace(STALE, at=Location("/opt/an engine/a.py", 1))))
        assert found["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///opt/an%20engine/a.py"}

    def test_inside_an_archive(self) -> None:
        (found,) = results(told(replace(STALE, at=Location("dist/engine-1.whl/engine/a.py", 1))))
        artifact = found["locations"][0]["physicalLocation"]["artifactLocation"]
        assert (artifact["uri"], artifact["properties"]) == ("dist/engine-1.whl/engine/a.py", {"archive": "dist/engine-1.whl"})

    def test_of_a_revision(self) -> None:
        each = told(replace(STALE, at=Location("v1:engine/a.py", 1)))
        source = replace(each.analysis.source, root="v1:engine", revision="v1")
        (found,) = results(replace(each, analysis=replace(each.analysis, source=source)))
        assert found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "engine/a.py"

    def test_where_the_working_directory_lies_is_not_told(self, here: Path) -> None:
        assert str(here) not in json.dumps(log(told(MISMATCH, STALE)))


class TestRun:
    def test_the_rules_have_their_pages(self) -> None:
        (run,) = log(told(MISMATCH))["runs"]
        driver = run["tool"]["driver"]
        assert [rule["id"] for rule in driver["rules"]] == [rule.code for rule in RULES]
        first = driver["rules"][run["results"][0]["ruleIndex"]]
        assert (first["id"], first["name"], first["defaultConfiguration"]) == ("FC101", "CapturedPointMismatch", {"level": "error"})
        assert first["shortDescription"]["text"] == "A draft is fed other hidden states than it was trained on."
        assert first["fullDescription"]["text"].startswith("For the draft config at hand the engine captures")
        assert "## Why it matters\n\nThe width is the same" in first["help"]["markdown"]
        assert all(len(rule["fullDescription"]["text"]) <= 1024 for rule in driver["rules"])
        assert (driver["name"], run["columnKind"]) == ("flowcheck", "unicodeCodePoints")

    def test_what_could_not_be_read_or_proved_is_notified(self) -> None:
        (run,) = log(told())["runs"]
        (invocation,) = run["invocations"]
        (note,) = invocation["toolExecutionNotifications"]
        assert invocation["executionSuccessful"] is True
        assert (note["level"], note["message"]["text"], note["associatedRule"]["id"]) == ("warning", "file: invalid syntax", "FC902")
        assert [place(each) for each in note["locations"]] == ["engine/x.py:3:1"]

    def test_several_sources_are_runs_of_their_own(self) -> None:
        runs = log(told(STALE), told(), Told(replace(analysis(), source=replace(analysis().source, root="old")), ()))["runs"]
        assert [run["automationDetails"]["id"] for run in runs] == ["flowcheck/engine/", "flowcheck/engine 2/", "flowcheck/old/"]

    def test_of_one_source_the_user_says_the_category(self) -> None:
        assert "automationDetails" not in log(told(STALE))["runs"][0]


class TestSetAside:
    ASIDE = (SetAside(STALE, "comment", "called once"), SetAside(FACT, "baseline", "known.json"), SetAside(EDGE, "path", "old/"))

    def test_code_scanning_does_not_hear_of_it(self) -> None:
        assert [found["ruleId"] for found in results(told(MISMATCH, aside=self.ASIDE))] == ["FC101"]

    def test_with_all_details_each_result_says_whether_it_is(self) -> None:
        found = results(told(MISMATCH, aside=self.ASIDE), verbose=True)
        assert [(each["ruleId"], each["suppressions"]) for each in found] == [
            ("FC101", []),
            ("FC210", [{"kind": "inSource", "status": "accepted", "justification": "called once"}]),
            ("FC309", [{"kind": "external", "status": "accepted", "justification": "baseline: known.json"}]),
            ("FC301", [{"kind": "external", "status": "accepted", "justification": "path: old/"}]),
        ]


class TestComparison:
    NEW, OLD = replace(told(MISMATCH, notices=(CHANGED,)), state="new"), replace(told(STALE), state="absent")

    def test_both_sides_are_one_run_and_each_result_has_its_state(self) -> None:
        found = results(self.NEW, self.OLD, verbose=True)
        assert [(each["ruleId"], each["baselineState"]) for each in found] == [
            ("wiring-changed", "new"), ("FC101", "new"), ("FC210", "absent"),
        ]  # fmt: skip

    def test_code_scanning_does_not_hear_of_what_has_gone(self) -> None:
        assert [each["ruleId"] for each in results(self.NEW, self.OLD)] == ["wiring-changed", "FC101"]

    def test_a_notice_has_a_rule_of_its_own_and_the_other_side_beside_it(self) -> None:
        (run,) = log(self.NEW)["runs"]
        notice = run["results"][0]
        rule = run["tool"]["driver"]["rules"][notice["ruleIndex"]]
        assert (rule["id"], rule["name"]) == ("wiring-changed", "WiringChanged")
        assert rule["shortDescription"]["text"] == "A wiring is not what it was."
        assert notice["level"] == "note"
        assert [place(each) for each in notice["relatedLocations"]] == ["old/engine/llama.py:69:1"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_is_text(text: str) -> None:
    document = log(hostile(text), verbose=True)
    shown = terminal(text)
    found = document["runs"][0]["results"]
    assert found[0]["properties"]["model"] == shown
    assert all(character.isprintable() or character == "\n" for each in objects(document, "text") for character in each)
    uris = [uri for uri in objects(document, "uri") if isinstance(uri, str)]
    assert {unquote(uri, errors="surrogateescape") for uri in uris} == {f"{text}/{text}.py"}
    assert not [uri for uri in uris if not uri.isascii() or set(uri) & set('<>"{}|\\^`: ')]
    messages = [each["text"] for each in objects(document["runs"][0]["results"], "message") if isinstance(each, dict)]
    assert {link for message in messages for link in re.findall(r"(?<!\\)\]\([^)]*\)", message)} == {"](1)"}
