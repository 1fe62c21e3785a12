"""The JSON of a diff: ``flowcheck.diff/1``."""
from __future__ import annotations

from .difference import Parting, Row, WiringChange
from .diffing import Difference
from .feeds import Feed, FeedChange
from .json_report import Json, Object, comparison_object, finding_object, place_object, source_object, step_object, wiring_object


def diff_document(found: Difference) -> Object:
    """What ``flowcheck diff`` says. A side that is not there is null."""
    return {
        "schema": "flowcheck.diff/1",
        "old": source_object(found.before.analysis.source),
        "new": source_object(found.after.analysis.source),
        "wirings": [_wiring(each) for each in found.wirings],
        "drafts": [_feed(each) for each in found.feeds],
        "findings": {
            "appeared": [finding_object(each) for each in found.appeared],
            "gone": [finding_object(each) for each in found.gone],
        },
    }


def _wiring(change: WiringChange) -> Object:
    wiring = change.wiring
    return {
        "change": change.kind,
        "flow": wiring.flow,
        "model": wiring.model,
        "setter": wiring.setter,
        "proof": change.proof,
        "rows": [_row(each) for each in change.rows],
        "parting": None if change.parting is None else _parting(change.parting),
        "before": None if change.before is None else wiring_object(change.before),
        "after": None if change.after is None else wiring_object(change.after),
    }


def _row(row: Row) -> Object:
    return {"what": row.what, "before": list(row.before), "after": list(row.after)}


def _parting(parting: Parting) -> Object:
    sides: dict[str, Json] = {
        name: None if step is None else step_object(step) for name, step in (("before", parting.before), ("after", parting.after))
    }
    return {"ids": parting.ids, **sides}


def _feed(change: FeedChange) -> Object:
    before, after = change.verdicts
    kept = change.after.kept if change.after is not None else None
    path: list[Json] = [{**place_object(hop.at), "label": hop.label} for hop in (kept.path if kept is not None else ())]
    return {
        "name": change.name,
        "flow": change.flow,
        "model": change.model,
        "before": _comparison(change.before),
        "after": _comparison(change.after),
        "verdict": {"before": before, "after": after},
        "path": path,
    }


def _comparison(feed: Feed | None) -> Json:
    return None if feed is None or feed.comparison is None else comparison_object(feed.comparison)
