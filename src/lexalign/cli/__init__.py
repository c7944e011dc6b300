"""The command line: one module a command, no logic of its own."""

from __future__ import annotations

import errno
import logging
import signal
import sys
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from types import FrameType
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from lexalign import __version__
from lexalign.cli.verbosity import LogLines, with_verbosity
from lexalign.cli.wording import in_options
from lexalign.errors import LexalignError

COMMANDS = {
    "align": "Align two embeddings, or train and align two corpora.",
    "apply": "Apply a learned map to a file of vectors.",
    "compare": "Compare systems: t-test over runs, bootstrap over queries.",
    "convert": "Convert vectors between formats, without loss.",
    "data": "Fetch the public inputs of the paper.",
    "demo": "Align, refine and measure the bundled English and German vectors.",
    "evaluate": "Evaluate translation between two embeddings by a protocol.",
    "figure": "Draw how refinement changes the distance of every mutual pair.",
    "experiment": "Run grids of experiments, and print their tables.",
    "explore": "Explore the words of a run in a browser: translate, compare, check.",
    "export": "Export the words of a run to the TensorFlow Embedding Projector.",
    "lexicon": "Split, swap or check a file of word pairs.",
    "induce": "Induce a dictionary with probabilities from vectors and seeds.",
    "nli": "Test a shared space by natural language inference.",
    "outliers": "List dictionary pairs that lie far apart, and refit without them.",
    "refine": "Refine two embeddings that already share one space.",
    "report": "Write one page about runs: verdict, accuracy, changes, health check.",
    "train": "Train word vectors on text.",
    "translate": "Translate words, or induce a dictionary of mutual pairs.",
}

_OF_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE)
"""Errors of writing. Files are written in workshops, which have sentences of their own."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command from its module."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"lexalign.cli.{cmd_name}").command
        return with_verbosity(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the one that was probably meant."""
        close = get_close_matches(args[0], COMMANDS, n=1)
        if args[0] not in COMMANDS and close:
            ctx.fail(f"No such command {args[0]!r}; did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing them."""
        found = [
            CompletionItem(name, help=COMMANDS[name])
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="lexalign")
def lexalign() -> None:
    """Align, refine, evaluate and use cross-lingual word embeddings."""


with_verbosity(lexalign)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line: errors are one sentence on standard error and a non-zero code."""
    signal.signal(signal.SIGTERM, _interrupt)
    logging.basicConfig(
        format="lexalign: %(message)s", level=logging.WARNING, handlers=[LogLines()]
    )
    logging.getLogger("lexalign").setLevel(logging.NOTSET)
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        # File names and arguments that are not UTF-8 hold lone surrogates.
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> Any:
    try:
        return lexalign.main(arguments, prog_name="lexalign", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.UsageError as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        given = sys.argv if arguments is None else arguments
        kept = any(argument.startswith("--checkpoint") for argument in given)
        goes_on = "; the same command resumes from the checkpoint" if kept else ""
        return _fail(f"interrupted; unfinished output was removed{goes_on}.", 130)
    except LexalignError as error:
        return _fail(in_options(str(error)), 1)
    except MemoryError:
        return _fail(
            "out of memory; use fewer words (--limit, in training --vocabulary) or a larger "
            "machine.",
            1,
        )
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        return _fail("the device is out of memory; use fewer words (--limit) or the CPU.", 1)
    except OSError as error:
        if error.filename is None and error.errno in _OF_OUTPUT:
            return _fail(
                f"standard output cannot be written ({error.strerror}); redirect it elsewhere.",
                1,
            )
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}.", 1)


def _fail(sentence: str, code: int) -> int:
    from lexalign.cli.printing import warn

    warn(sentence)
    return code


def _interrupt(signum: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
