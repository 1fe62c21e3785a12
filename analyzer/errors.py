"""Bad input: something a person can mend. A finding and a limit of the analysis are neither of them errors."""
from __future__ import annotations


class BadInput(Exception):
    """What is wrong, where, and what to do, in one line. The command line prints it to stderr and exits with status 2."""
