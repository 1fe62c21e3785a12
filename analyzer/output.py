"""Writing results: where each was asked for, with colours only on a terminal, and what goes wrong in one line."""
from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence

from .errors import BadInput
from .options import Output
from .steps import make_room, task


def emit(outputs: Sequence[Output], renderers: Mapping[str, Callable[[bool], str]]) -> None:
    """Write each rendering where it was asked for; colours only on a terminal."""
    for output in outputs:
        colour = output.file is None and sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        with task("show"):
            shown = renderers[output.format](colour)
        write(output.file, shown)


def write(file: str | None, content: str | bytes) -> None:
    """Write to a file, or text to stdout. A reader that has gone away is no error."""
    try:
        if file is not None:
            with open(file, "wb") as opened:
                opened.write(content if isinstance(content, bytes) else _encoded(content))
        elif sys.stdout is not None:
            make_room()
            _to_stdout(str(content))
    except BrokenPipeError:
        _silence_stdout()
    except (OSError, ValueError) as error:
        if file is None:
            _silence_stdout()
        raise BadInput(f"cannot write {file or 'to stdout'}: {getattr(error, 'strerror', None) or error}") from error


def _encoded(text: str) -> bytes:
    return text.replace("\n", os.linesep).encode("utf-8", "backslashreplace")


def _to_stdout(text: str) -> None:
    """What the terminal's encoding lacks is shown as an escape, never a crash."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.stdout.write(text)
    sys.stdout.flush()


def _silence_stdout() -> None:
    """Send what is still buffered nowhere, so that the interpreter's own flush at exit does not complain."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
