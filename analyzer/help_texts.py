"""The pages that ``--help`` prints, as data: what each command is for, its exit status, files, environment, and examples that tests run."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""Terms, and what each means. Of examples: what one is for, and the command."""


@dataclass(frozen=True, slots=True)
class Page:
    """The page of one command. ``summary`` is its line in the list of commands, ``description`` its paragraphs."""

    summary: str
    synopsis: tuple[str, ...]
    description: str
    status: Pairs
    examples: Pairs
    files: Pairs = ()
    environment: Pairs = ()
    see_also: str = "flowcheck --help, README.md"


GROUPS: Mapping[str, tuple[str, ...]] = {
    "Source": ("source", "trainer", "revisions", "key", "rule", "flow_file", "merge_base", "engine"),
    "Draft and training": ("draft", "target", "train", "train_config", "train_engine", "contract"),
    "What is evaluated": ("flow", "model", "layers", "ids", "serve_args", "view"),
    "Findings": ("select", "ignore", "fail_on", "baseline", "write_baseline"),
    "Output": ("output", "format", "output_format", "quiet", "verbose", "timings", "debug"),
    "Settings": ("config", "isolated", "help"),
}
"""The headings of the options, by the names of their parameters."""

FAILED = ("2", "it could not be done: one line on stderr says what is wrong, where, and what to do")
STATUS: Pairs = (("0", "the result was printed"), FAILED)
STATUS_OF_CHECK: Pairs = (
    ("0", "nothing was found at or above --fail-on"),
    ("1", "something was"),
    FAILED,
)
STATUS_OF_DIFF: Pairs = (
    ("0", "nothing appeared at or above --fail-on, and every contract is still kept"),
    ("1", "something appeared, or a contract is no longer kept"),
    FAILED,
)
SETTINGS: Pairs = (
    ("flowcheck.toml, pyproject.toml", "options that are always the same, in the second under [tool.flowcheck]; the nearest file counts"),
)
FILES: Pairs = (
    *SETTINGS,
    (".flowcheck-baseline.json", "the findings that are known: --write-baseline writes it, --baseline reads it"),
    ("contract.json", "what a draft was trained on; one beside a draft's config.json is read without being named"),
)
ENVIRONMENT: Pairs = (
    ("NO_COLOR", "no colours, where it is not empty"),
    ("CI, TERM=dumb", "no bar on stderr while a long run goes on; there is none either where stderr is no terminal, and with --quiet"),
    ("COLUMNS", "how wide these pages are, between 40 and 100 columns"),
)

CHECK = Page(
    "say what target classes capture, and what is wrong with it",
    ("flowcheck SOURCE... [OPTIONS]", "flowcheck check [SOURCE]... [OPTIONS]"),
    """
Proves which hidden states of a target model reach the fc of a speculative draft, and in which order. The source of
the engine is read and run on an abstract machine, never imported or executed; nothing is fetched.

With a draft's config (--draft) the ids in it are followed to the setter and what is captured to the draft's
projection. With the source of its trainer or its contract (--train) the states that are served are held against those
that the draft was trained on. Points and their order are compared, never ids: id k means another layer to another
engine.

Every result has one of three outcomes. ESTABLISHED: proved, under the assumptions that are named with it. DEPENDS:
proved for each answer to a condition, which is named with its place. NOT ESTABLISHED: not proved, with the reason and
the place; it does not say that something is wrong.

SOURCE is a folder (a checkout, the package, or one inside it), a wheel, a zip or a tar, a git revision as REV:FOLDER,
or the name of an installed package. Of several each is checked by itself. Without SOURCE that of the settings is. For
a folder that is named like a command write ./NAME.
""",
    STATUS_OF_CHECK,
    (
        ("What every target class captures:", "flowcheck sglang/"),
        ("What a draft is served:", "flowcheck sglang/ --draft my-draft/ --target Kimi-K2.5/"),
        (
            "Whether that is what it was trained on:",
            "flowcheck check sglang/ --draft my-draft/ --target Kimi-K2.5/ --train my-trainer/ --train-config run.json",
        ),
        ("From which release on a draft is served otherwise:",
         "flowcheck check sglang-0.5.12.whl sglang-0.5.13.whl --draft my-draft/ --target Kimi-K2.5/"),
        ("With the flags of a launch:",
         'flowcheck check sglang/ --draft my-draft/ --serve-args "--speculative-algorithm EAGLE3"'),
        ("For code scanning and for a comment, in one run:",
         "flowcheck check sglang/ --output-format sarif:out.sarif --output-format markdown:comment.md"),
        ("Only what is new from now on:", "flowcheck check sglang/ --write-baseline --baseline known.json"),
        ("One rule alone, and facts count too:", "flowcheck check sglang/ --select FC301 --fail-on info"),
        ("Why it takes so long, and what it reads:", "flowcheck check sglang/ --timings --verbose"),
    ),
    FILES,
    ENVIRONMENT,
    "flowcheck wiring, flowcheck diff, flowcheck contract, flowcheck explain; README.md has the formats, the rules and the settings",
)  # fmt: skip

WIRING = Page(
    "say what target classes capture, for every id or for lists",
    ("flowcheck wiring SOURCE [OPTIONS]",),
    """
The setter and the forward of each target class are run for every id from -1 to the number of layers and for the
default, or for each list that --ids gives. What is captured is told in points: embed, and out:k for the stream after
layer k, counted from 0.
""",
    STATUS,
    (
        ("Every target class, for every id:", "flowcheck wiring sglang/"),
        ("Two lists of ids, in a target of 32 layers:", "flowcheck wiring sglang/ --ids 2,16,29 --ids default --layers 32"),
        ("A list that begins with a negative id, as data:", "flowcheck wiring sglang/ --target Kimi-K2.5/ --ids=-1,2 --format json"),
    ),
    SETTINGS,
)
GRAPH = Page(
    "follow the ids from the config key to the draft's fc, hop by hop",
    ("flowcheck graph SOURCE [OPTIONS]",),
    """
Prints the main path of each target class, hop by hop: where it is, what kind of place, and what happens to the value
there. With -o it is drawn; other output is then printed only if it is asked for.
""",
    STATUS,
    (
        ("The way of a draft's ids:", "flowcheck graph sglang/ --draft my-draft/ --target Kimi-K2.5/"),
        ("As a picture, which needs no other program:", "flowcheck graph sglang/ --draft my-draft/ --target Kimi-K2.5/ -o flow.mmd"),
        ("What was trained beside what is served:",
         "flowcheck graph sglang/ --draft my-draft/ --target Kimi-K2.5/ --train my-trainer/ --view compare -o sides.mmd"),
        ("The target classes, grouped by what an id captures:", "flowcheck graph sglang/ --view models -o models.mmd"),
        ("Every hop, for one list of ids:", "flowcheck graph sglang/ --ids 2,4 --verbose"),
    ),
    SETTINGS,
)  # fmt: skip
TRACE = Page(
    "find every reader of a config key, and what each gets",
    ("flowcheck trace SOURCE KEY [OPTIONS]",),
    """
KEY is the name of one entry of a config, at whatever depth. Each expression that looks it up is told with the value
that it gets from the configs in hand, and with where that goes.
""",
    STATUS,
    (
        ("Who reads a key:", "flowcheck trace sglang/ eagle_aux_hidden_state_layer_ids"),
        ("What each gets from these configs:",
         "flowcheck trace sglang/ eagle_aux_hidden_state_layer_ids --draft my-draft/ --target Kimi-K2.5/"),
        ("The trainer's readers too, as data:",
         "flowcheck trace sglang/ draft_vocab_size --draft my-draft/ --train my-trainer/ --format json"),
    ),
    SETTINGS,
)  # fmt: skip
DIFF = Page(
    "say what a change does to wirings, drafts and contracts",
    ("flowcheck diff BASE [OPTIONS]", "flowcheck diff OLD NEW [OPTIONS]", "flowcheck diff OLD..NEW [OPTIONS]"),
    """
Both sides are checked in the same way, and what is different is printed: nothing, where nothing is. A side is a git
revision of the repository at hand, a folder, an archive or an installed package. Of one side alone, the other is the
work tree at --source.
""",
    STATUS_OF_DIFF,
    (
        ("What the work tree changes:", "flowcheck diff HEAD --source sglang/"),
        ("What an upgrade does to a draft:", "flowcheck diff sglang-0.5.12.whl sglang-0.5.13.whl --draft my-draft/ --target Kimi-K2.5/"),
        ("For a pull request:", "flowcheck diff HEAD --merge-base --source sglang/ --output-format markdown:comment.md"),
    ),
    FILES,
    see_also="flowcheck check, action.yml",
)
CONTRACT = Page(
    "say what a trainer trains a draft on, or write it to a file",
    ("flowcheck contract TRAINER [OPTIONS]",),
    """
The trainer's source is run on the abstract machine, for every id or for each list that --ids or the config of a run
gives. With -o the points of one list are written to a file that check --train reads.
""",
    STATUS,
    (
        ("What a trainer does with every id:", "flowcheck contract my-trainer/"),
        ("What a run of it trained on:", "flowcheck contract my-trainer/ --target Kimi-K2.5/ --train-config run.json"),
        ("To be kept beside the draft:", "flowcheck contract my-trainer/ --target Kimi-K2.5/ --ids 2,4,6 -o my-draft/contract.json"),
    ),
    SETTINGS,
)
RULES = Page(
    "list the rules",
    ("flowcheck rules [OPTIONS]",),
    """
One line for each rule: its code, its name, how bad it is, and what it finds.
""",
    STATUS,
    (("All rules:", "flowcheck rules"), ("As data:", "flowcheck rules --format json")),
)
EXPLAIN = Page(
    "print the page of a rule",
    ("flowcheck explain CODE|NAME [OPTIONS]",),
    """
What a rule finds, why it matters, an example, what to write instead, and what the rule cannot see.
""",
    STATUS,
    (("By code:", "flowcheck explain FC101"), ("By name:", "flowcheck explain captured-point-mismatch")),
)

PAGES: Mapping[str, Page] = {
    "check": CHECK, "wiring": WIRING, "graph": GRAPH, "diff": DIFF,
    "trace": TRACE, "contract": CONTRACT, "rules": RULES, "explain": EXPLAIN,
}  # fmt: skip

TITLE = "which hidden states of a target model reach a speculative draft's fc"
ABOUT = "Proved from the engine's source, which is never imported or run. `flowcheck SOURCE` is `flowcheck check SOURCE`."
FIRST: Pairs = (
    ("What every target class of an engine captures:", "flowcheck sglang/"),
    ("Whether a draft is served what it was trained on:", "flowcheck sglang/ --draft my-draft/ --target Kimi-K2.5/ --train my-trainer/"),
    ("What your change does to that:", "flowcheck diff HEAD --source sglang/ --draft my-draft/ --target Kimi-K2.5/"),
)
NEXT = (
    "flowcheck COMMAND --help has a page for each command, flowcheck check --help the longest. flowcheck rules lists what is looked for, "
    "flowcheck explain FC101 tells one of them. README.md has the rest."
)
