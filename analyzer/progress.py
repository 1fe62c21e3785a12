"""The line of progress on a terminal, drawn by rich: imported when a run has been going for a while, and no sooner."""
from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from .escape import terminal
from .steps import Task

REFRESHES = 5
"""Times a second that it is drawn: seldom enough to cost nothing."""


class Screen(Console):
    """stderr. The cursor stays as it is: nothing that ends the run can leave it hidden."""

    def show_cursor(self, show: bool = True) -> bool:
        return False


class Bar:
    """A line on stderr, which goes away without a trace. ``since`` is when the run began, by the clock that does not turn back."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._shown: Progress | None = None
        self._screen = Screen(stderr=True)

    def show(self, task: Task) -> None:
        """Say that this is being done; nothing where the terminal takes no movement."""
        if not self._screen.is_interactive:
            return
        count, name = f"{task.number} of {task.total}" if task.total else "", terminal(task.name)
        done, total = max(task.number - 1, 0), task.total or None
        if self._shown is None:
            self._shown = line_on(self._screen)
            self._shown.add_task("", completed=done, total=total, doing=task.doing, count=count, name=name)
            self._shown.tasks[0].start_time = self._since
            self._shown.start()
        else:
            first = self._shown.task_ids[0]
            self._shown.update(first, completed=done, total=total, doing=task.doing, count=count, name=name)

    def hide(self) -> None:
        if self._shown is not None:
            self._shown.stop()
            self._shown = None


def line_on(screen: Console) -> Progress:
    """A line of plain text, for names of the source are no markup; what is too long for it is cut."""
    name = TextColumn("{task.fields[name]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1))
    said = [TextColumn(f"{{task.fields[{each}]}}", markup=False) for each in ("doing", "count")]
    columns = SpinnerColumn("line"), said[0], BarColumn(bar_width=12), said[1], TimeElapsedColumn(), name
    return Progress(
        *columns, console=screen, transient=True, expand=True, refresh_per_second=REFRESHES, redirect_stdout=False, redirect_stderr=False,
    )  # fmt: skip
