"""A TOML file that a user wrote, read within bounds."""
from __future__ import annotations

import os

from .errors import BadInput
from .layout import MEBIBYTE

LARGEST = MEBIBYTE


def read_toml_text(path: str, shown: str, noun: str, word: str = "") -> str | None:
    """The text of a file that is to be a ``noun``, with the line ends of Unix; None where the ``word`` is not in it. BadInput, in one line,
    for what is no such file."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise BadInput(f"{shown}: the {noun} cannot be read: it is {'a folder' if os.path.isdir(path) else 'no regular file'}")
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
        if word.encode() not in data:
            return None
        if len(data) > LARGEST:
            raise BadInput(f"{shown}: larger than {LARGEST // MEBIBYTE} MiB, which no {noun} is")
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise BadInput(f"{shown}: the {noun} cannot be read: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or a path that none can have
        raise BadInput(f"{shown}: the {noun} cannot be read: {error}") from error
