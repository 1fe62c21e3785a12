"""CPU time and peak memory of the bare command on one tree, and of a single target class, next to parsing every file of that tree with
``ast.parse``.

    python tests/benchmark.py [SOURCE] [--repeat 3] [--model LlamaForCausalLM]

SOURCE is a folder or an archive; without it the SGLang release 0.5.23 is fetched and unpacked into a temporary folder. Each
measurement is a process of its own; the three take turns, and of several runs the fastest counts. A script, not a test: times depend on
the machine.
"""
from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from releases import Missing, release_wheel

RELEASE = "0.5.23"
MODEL = "LlamaForCausalLM"
TIME_BOUND = 3.0
"""Times the CPU time of ``ast.parse`` over every file."""
MEMORY_BOUND = 600.0
"""MiB."""
SINGLE_BOUND = 0.2
"""Of the CPU time of the bare command: a single target class."""
KIBIBYTES_PER_UNIT = 1 / 1024 if sys.platform == "darwin" else 1.0

PARSE_ALL = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
parsed = failed = 0
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        ast.parse(path.read_bytes())
        parsed += 1
    except (SyntaxError, ValueError, RecursionError):
        failed += 1
print(f"{parsed} files parsed, {failed} not")
"""

MEASURE = """
import json, resource, subprocess, sys
run = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss, run.returncode, run.stdout[-400:], run.stderr[-400:]]))
"""
"""A process between, whose only child is the measured one: ``ru_maxrss`` is that of the largest child ever waited for."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One process: CPU seconds (user and system), peak memory in MiB, and how it ended."""

    seconds: float
    mebibytes: float
    status: int
    said: str


def measure(command: list[str]) -> Measured:
    """Run the command in a process of its own."""
    run = subprocess.run([sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, check=True)
    seconds, peak, status, out, err = json.loads(run.stdout)
    return Measured(seconds, peak * KIBIBYTES_PER_UNIT / 1024, status, (err if status not in (0, 1) else out).strip())


def fastest(commands: list[list[str]], repeat: int) -> list[Measured]:
    """For each command the run that took least time, with the largest peak of all its runs. They take turns: a machine that slows down
    meets them all."""
    rounds = [[measure(command) for command in commands] for _ in range(repeat)]
    return [
        replace(min(runs, key=lambda run: run.seconds), mebibytes=max(run.mebibytes for run in runs)) for runs in zip(*rounds, strict=True)
    ]


def bare_command(tree: str) -> list[str]:
    """The bare command, cold."""
    command = [sys.executable, "-m", "flowcheck"]
    usage = subprocess.run([*command, "check", "--help"], capture_output=True, text=True, check=False).stdout
    return [*command, tree, *(["--no-cache"] if "--no-cache" in usage else [])]


def single_command(tree: str, model: str) -> list[str]:
    """The wirings of one target class."""
    return [sys.executable, "-m", "flowcheck", "wiring", tree, "--model", model]


def unpacked(source: str | None, scratch: str) -> str:
    """The folder to measure on; an archive is unpacked, so that both sides read the same files."""
    if source is not None and Path(source).is_dir():
        return source
    archive = Path(source) if source is not None else release_wheel(RELEASE)
    if isinstance(archive, Missing):
        sys.exit(archive.reason)
    shutil.unpack_archive(archive, scratch, "zip" if archive.suffix == ".whl" else None)
    return scratch


def report(tree: str, model: str, repeat: int) -> int:
    """Measure all and print them side by side."""
    commands = [[sys.executable, "-c", PARSE_ALL, tree], bare_command(tree), single_command(tree, model)]
    parse, bare, single = fastest(commands, repeat)
    print(f"{'':22}{'CPU seconds':>12}{'peak MiB':>10}")
    print(f"{'ast.parse, every file':22}{parse.seconds:12.2f}{parse.mebibytes:10.0f}   {parse.said}")
    print(f"{'flowcheck SOURCE':22}{bare.seconds:12.2f}{bare.mebibytes:10.0f}   exit status {bare.status}")
    print(f"{'wiring --model':22}{single.seconds:12.2f}{single.mebibytes:10.0f}   {model}, exit status {single.status}")
    ratio = bare.seconds / parse.seconds
    print(f"{'bare / ast.parse':22}{ratio:12.2f}{'':10}   to stay under {TIME_BOUND:g}, and under {MEMORY_BOUND:g} MiB")
    print(f"{'single / bare':22}{single.seconds / bare.seconds:12.2f}{'':10}   to stay under {SINGLE_BOUND:g}")
    failed = [each for each in (bare, single) if each.status not in (0, 1)]
    for each in failed:
        print(each.said, file=sys.stderr)
    return 2 if failed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="CPU time and peak memory of the bare command next to ast.parse of every file.")
    parser.add_argument("source", nargs="?", help=f"a folder or an archive; default: the release {RELEASE}, fetched")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the fastest counts (default: %(default)s)")
    parser.add_argument("--model", default=MODEL, help="the single target class (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        return report(unpacked(options.source, scratch), options.model, max(1, options.repeat))


if __name__ == "__main__":
    sys.exit(main())
