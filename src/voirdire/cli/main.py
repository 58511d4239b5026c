"""The command ``voirdire``: finds every command, and turns a user's mistake into one line and exit code 2."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from voirdire import cli
from voirdire.errors import UserError

__all__ = ["app", "main"]

MISTAKE = 2
INTERRUPTED = 130


class Commands(TyperGroup):
    """The group of all commands; whoever runs it (a shell, a test) meets the same exit codes and lines."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run one command and leave with its exit code."""
        try:
            status = super().main(*args, **{**extra, "standalone_mode": False})
        except typer.Abort:  # the input ended while a question was open
            status = _say("stopped", INTERRUPTED)
        except BrokenPipeError:
            _close_output()
            status = 0
        except UserError as mistake:
            status = _say(str(mistake), MISTAKE)
        except Exception as problem:
            # typer keeps its usage errors in a private module, and moved it; this method is what they share.
            describe = getattr(problem, "format_message", None)
            if describe is None:
                raise
            status = _say(f"{describe()} {_hint(problem)}".rstrip(), MISTAKE)
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that ``ctx`` names; Ctrl-C ends it with one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Exit(_say("stopped", INTERRUPTED)) from None


def app() -> typer.Typer:
    """The application: a command for each module of :mod:`voirdire.cli` that has a function ``command``.

    A package in it is a group of commands in the same way: ``voirdire bench check``.
    """
    application = typer.Typer(
        cls=Commands,
        invoke_without_command=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    application.callback()(_voirdire)
    _fill(application, cli)
    return application


def _fill(group: typer.Typer, package: ModuleType) -> None:
    for found in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        name = found.name.replace("_", "-")
        if found.ispkg:
            inner = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help=module.__doc__)
            _fill(inner, module)
            group.add_typer(inner, name=name)
        elif hasattr(module, "command"):
            group.command(name=name)(module.command)


def main() -> None:
    """Entry point of the console script."""
    app()()


def _print_version(wanted: bool) -> None:
    if wanted:
        import voirdire

        typer.echo(f"voirdire {voirdire.__version__}")
        raise typer.Exit


def _voirdire(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and leave.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Examine an LLM judge against every human label before its verdicts are trusted."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _say(text: str, status: int) -> int:
    """Print one message; what a file holds may steer a terminal, so control characters are spelt out."""
    plain = "".join(sign if sign.isprintable() or sign == "\n" else repr(sign)[1:-1] for sign in text)
    typer.echo(f"voirdire: {plain}", err=True)
    return status


def _hint(problem: Exception) -> str:
    context = getattr(problem, "ctx", None)
    return f"Try '{context.command_path} --help'." if context is not None else ""


def _close_output() -> None:
    """Point standard output at nothing, so that the interpreter's last flush does not complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
