"""What a trainer trains on: a place for the analysis, so that what stands around it can be checked. It establishes nothing."""
from __future__ import annotations

from .errors import BadInput
from .request import ContractRequest
from .results import ContractAnalysis


def read_contract(request: ContractRequest) -> ContractAnalysis:
    """The selections of a trainer and what they come to."""
    raise BadInput(f"{request.source}: trainers cannot be read for a contract yet")
