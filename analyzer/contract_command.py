"""The command ``contract``: from its options to a request, and from the result to what is printed and to the file of a draft."""
from __future__ import annotations

from collections.abc import Sequence

from .contract_file import Contract, contract_side, read_contract_text
from .contract_json import contract_document, file_text
from .contract_report import contract_report
from .errors import BadInput
from .json_report import dumps
from .options import Output
from .output import emit, write
from .report import Detail
from .request import ContractRequest
from .results import ContractAnalysis, Side
from .text import paint


def check_file(file: str | None, request: ContractRequest, outputs: Sequence[Output]) -> None:
    """What ``-o`` needs is said before the analysis runs. A contract is for definite ids."""
    if file is None:
        return
    if not file.endswith(".json"):
        raise BadInput(f"-o {file}: a contract's name ends in .json")
    if file in [output.file for output in outputs]:
        raise BadInput(f"two results for {file}: give each a file of its own")
    if (request.ids is None and request.train_config is None) or len(request.ids or ("one",)) > 1:
        raise BadInput("a contract is for one list of ids: give --ids or --train-config")
    if request.target is None and request.layers is None:
        raise BadInput("a contract is for one number of layers: give the target's config with --target, or --layers")


def show_contract(
    analysis: ContractAnalysis, request: ContractRequest, file: str | None, outputs: Sequence[Output], detail: Detail
) -> None:
    """Write the contract that was asked for, then print."""
    if file is not None:
        text = file_text(analysis)
        check_contract(read_contract_text(text, file), analysis, request)
        write(file, text)
    by_ids = request.ids is not None or request.train_config is not None
    texts = {
        "text": lambda colour: paint(contract_report(analysis, by_ids, detail), colour),
        "json": lambda _: dumps(contract_document(analysis)),
    }
    emit(outputs, texts)


def check_contract(contract: Contract, analysis: ContractAnalysis, request: ContractRequest) -> None:
    """Refuse a contract that would establish nothing: what reads it back is asked, so that both say the same."""
    flows = request.flows or tuple(dict.fromkeys(training.flow for training in analysis.trainings))
    sides = {flow: contract_side(contract, flow, analysis.num_layers, analysis.hidden_size) for flow in flows}
    open_ = {flow: side for flow, side in sides.items() if side.points is None}
    if not sides:
        found = analysis.not_established[0] if analysis.not_established else None
        why = "nothing in the trainer selects hidden states" if found is None else f"{found.what}: {found.reason} ({found.at})"
        raise BadInput(f"no contract is written, nothing is established: {why}")
    if open_ and (request.flows or len(open_) == len(sides)):
        flow, side = next(iter(open_.items()))
        raise BadInput(f"no contract is written, {flow} is {side.status}: {_why(analysis, flow, side)}")


def _why(analysis: ContractAnalysis, flow: str, side: Side) -> str:
    """The reason in the trainer's places; the contract has none yet."""
    if not any(training.flow == flow for training in analysis.trainings):
        found = next((entry for entry in analysis.not_established if flow in entry.what), None)
        return f"nothing in the trainer trains it{f': {found.reason} ({found.at})' if found is not None else ''}"
    return side.reason or "no reason given"
