"""The JSON of a check: the report of each source, with the contracts that were checked in it."""
from __future__ import annotations

from collections.abc import Sequence

from .checked import Checked
from .contracts import Kept
from .json_report import (
    Object,
    assumption_object,
    finding_object,
    legend_of,
    place_object,
    report_document,
    reports_document,
    side_object,
)


def checked_document(checked: Sequence[Checked], gone: int) -> Object:
    """What ``flowcheck check`` says; what is gone from the baseline is counted in the first report."""
    documents = [_document(each, gone if number == 0 else 0) for number, each in enumerate(checked)]
    return documents[0] if len(documents) == 1 else reports_document(documents)


def _document(checked: Checked, gone: int) -> Object:
    under = checked.findings[len(checked.judged.findings) :]
    document = report_document(checked.analysis, checked.judged.findings, checked.aside, gone, under)
    if not checked.runs:
        return document
    kept = checked.kept
    compared = [*checked.analysis.comparisons, *(each.comparison for each in kept if each.comparison is not None)]
    assumed = [assumption_object(each) for each in legend_of(checked.analysis.wirings, compared)]
    return {**document, "assumptions": assumed, "contracts": [kept_object(each) for each in kept]}


def kept_object(kept: Kept) -> Object:
    """One contract, and whether it is kept."""
    compared, contract = kept.comparison, kept.contract
    return {
        "name": contract.name,
        "description": contract.description,
        **place_object(contract.at),
        "status": kept.status,
        "set_aside": kept.is_set_aside,
        "flow": None if compared is None else compared.flow,
        "model": None if compared is None else compared.model,
        "draft": contract.draft if compared is None or compared.draft is None else compared.draft,
        "target": contract.target,
        "served": None if compared is None else side_object(compared.served),
        "trained": None if compared is None or compared.trained is None else side_object(compared.trained),
        "reason": kept.reason,
        "path": [{**place_object(hop.at), "label": hop.label} for hop in kept.path],
        "findings": [finding_object(each) for each in kept.findings],
    }
