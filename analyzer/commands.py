"""The kinds of commands: how each shows its help, and that ``check`` is the one that needs no name."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer._click.core import Parameter
    from typer._click.shell_completion import CompletionItem

    from .manual import Formatter


class Command(TyperCommand):
    """A command whose help is a page of a manual."""

    def format_help(self, ctx: typer.Context, formatter: Formatter) -> None:  # type: ignore[override]
        from .help_texts import PAGES
        from .manual import write_page

        write_page(self.name or "", PAGES[self.name or ""], _written(self.get_params(ctx), ctx), formatter)


class Commands(TyperGroup):
    """All commands. ``check`` stands for itself where a line names none; so it does where a shell asks how a line goes on."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        return super().parse_args(ctx, self.with_command(args) if args or not ctx.resilient_parsing else args)

    def with_command(self, arguments: Sequence[str]) -> list[str]:
        """The arguments with the command first."""
        from .invocation import command_first

        options = [option for command in self.commands.values() for option in command.params]
        takes_value = {name for option in options if not getattr(option, "is_flag", True) for name in option.opts}
        return command_first(arguments, self.commands, takes_value)

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> list[CompletionItem]:  # type: ignore[override]
        """A line may begin with an option of ``check`` too."""
        own = super().shell_complete(ctx, incomplete)
        known = {each.value for each in own}
        return [*own, *(each for each in self.commands["check"].shell_complete(ctx, incomplete) if each.value not in known)]

    def format_help(self, ctx: typer.Context, formatter: Formatter) -> None:  # type: ignore[override]
        from .help_texts import PAGES
        from .manual import write_overview

        summaries = tuple((name, PAGES[name].summary) for name in self.commands)
        write_overview(summaries, _written(self.get_params(ctx), ctx), formatter)


def _written(parameters: Sequence[Parameter], ctx: typer.Context) -> dict[str, tuple[str, str]]:
    """Each parameter by its name: as it is written, and what it means."""
    return {each.name or "": record for each in parameters if (record := each.get_help_record(ctx)) is not None}
