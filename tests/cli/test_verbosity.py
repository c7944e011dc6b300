"""Every command takes --quiet and --verbose; they say what they promise."""

import json
import logging

import click
import pytest

from lexalign.cli import lexalign, main
from lexalign.cli.verbosity import Verbosity, is_quiet, verbosity
from lexalign.vectors import write
from tests.conftest import planted_pair


def commands(group=lexalign, names=()):
    """The names of all commands, and of all groups of commands."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*names, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*names, name))


EVERY = dict(commands())


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return stop.value.code or 0, captured.out, captured.err


@pytest.fixture(autouse=True)
def _log_as_before():
    yield
    logging.getLogger("lexalign").setLevel(logging.NOTSET)


@pytest.fixture
def files(tmp_path):
    source, target, _ = planted_pair(words=200, dimension=6)
    write(source, tmp_path / "s.vec")
    write(target, tmp_path / "t.vec")
    return tmp_path / "s.vec", tmp_path / "t.vec"


def test_all_commands_are_looked_at():
    assert len(EVERY) > 30
    assert {("align", "muse"), ("nli", "train"), ("data", "fetch"), ("convert",)} <= set(EVERY)


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_every_command_takes_both_options(names):
    command = EVERY[names]
    options = {flag: option for option in command.params for flag in option.opts}
    assert {"-q", "--quiet", "--verbose"} <= set(options)
    assert all(options[flag].is_flag for flag in ("-q", "--quiet", "--verbose"))
    for wanted in Verbosity:
        seen = []

        def note(seen=seen):
            seen.append(verbosity())

        one = click.Command("one", callback=note, params=command.params[-2:])
        flags = [] if wanted is Verbosity.NORMAL else [f"--{wanted.value}"]
        one.main(flags, standalone_mode=False)
        assert seen == [wanted]


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_the_help_of_every_command_names_both(capsys, names):
    code, out, _ = run(capsys, *names, "--help")
    assert code == 0
    assert "-q, --quiet" in out
    assert "--verbose" in out


@pytest.mark.parametrize("place", ["before", "after"])
def test_they_are_taken_before_and_after_the_name(capsys, files, tmp_path, place):
    command = ["convert", files[0], tmp_path / "s.npz"]
    arguments = ["-q", *command] if place == "before" else [*command, "-q"]
    assert run(capsys, *arguments) == (0, "", "")


def test_both_at_once_are_refused(capsys, files, tmp_path):
    code, _, err = run(capsys, "-q", "convert", files[0], tmp_path / "s.npz", "--verbose")
    assert code == 2
    assert "Choose either --quiet or --verbose" in err


def test_without_a_command_nothing_is_quiet():
    assert verbosity() is Verbosity.NORMAL
    assert not is_quiet()


def test_quiet_prints_neither_progress_nor_the_closing_table(capsys, files, tmp_path):
    arguments = ("refine", *files, "--horizon", "5e-3", "--output")
    _, out, _ = run(capsys, *arguments, tmp_path / "one")
    assert "Written to" in out
    code, out, err = run(capsys, *arguments, tmp_path / "two", "--quiet")
    assert (code, out, err) == (0, "", "")
    assert (tmp_path / "two" / "run.json").is_file()


def test_the_closing_table_is_short_and_has_single_stages_only_with_verbose(
    capsys, files, tmp_path
):
    arguments = ("refine", *files, "--horizon", "5e-3", "--output")
    _, out, _ = run(capsys, *arguments, tmp_path / "one")
    rows = [line for line in out.splitlines() if line.startswith("│")]
    assert len(rows) <= 10
    assert "total time" in rows[-1]
    assert "finding mutual pairs" not in out
    _, out, _ = run(capsys, *arguments, tmp_path / "two", "--verbose")
    assert "finding mutual pairs" in out
    assert "total time" in out


def test_quiet_does_not_say_what_was_written(capsys, files, tmp_path):
    lexicon = tmp_path / "pairs.tsv"
    lexicon.write_text("dog\tHund\ncat\tKatze\n", "utf-8")
    swapped = ("lexicon", "swap", lexicon)
    assert "2 pairs" in run(capsys, *swapped, tmp_path / "one.tsv")[1]
    assert run(capsys, *swapped, tmp_path / "two.tsv", "-q") == (0, "", "")
    code, out, _ = run(capsys, *swapped, tmp_path / "three.tsv", "-q", "--json")
    assert (code, json.loads(out)["pairs"]) == (0, 2)


def test_quiet_prints_json_results_and_warnings(capsys, files, tmp_path):
    arguments = ("refine", *files, "--horizon", "5e-3", "--output", tmp_path / "one", "--json")
    _, out, err = run(capsys, *arguments, "-q")
    assert json.loads(out)["pairs"] > 0
    assert err == ""
    word = files[0].read_text("utf-8").split("\n")[1].split()[0]
    code, out, err = run(capsys, "translate", *files, word, "nosuchword", "-q")
    assert code == 0
    assert word in out
    assert "nosuchword" in err


def test_verbose_prints_the_time_of_every_stage_and_the_log(capsys, files, tmp_path):
    words = [line.split()[0] for line in files[0].read_text("utf-8").split("\n")[1:60]]
    others = [line.split()[0] for line in files[1].read_text("utf-8").split("\n")[1:60]]
    seeds = tmp_path / "seeds.tsv"
    seeds.write_text("".join(f"{a}\t{b}\n" for a, b in zip(words, others, strict=True)), "utf-8")
    code, out, err = run(
        capsys, "align", "procrustes", *files, "--lexicon", seeds, "--output", tmp_path / "out",
        "--verbose",
    )  # fmt: skip
    assert code == 0
    for stage in ("reading source", "aligning", "writing target", "hashing target"):
        assert f"{stage}: done, " in err
    assert "reading source: done, 200 words in " in err
    assert "Written to" in out
    assert logging.getLogger("lexalign").level == logging.DEBUG


def test_the_log_is_as_before_in_the_next_command(capsys, files, tmp_path):
    run(capsys, "convert", files[0], tmp_path / "one.npz", "--verbose")
    run(capsys, "convert", files[0], tmp_path / "two.npz")
    assert logging.getLogger("lexalign").level == logging.NOTSET
