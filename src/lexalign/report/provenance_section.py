"""What was done, and how to repeat it: inputs, parameters, times, commands and citations."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lexalign.digests import sha256
from lexalign.report.analysis import Analysis
from lexalign.report.blocks import (
    Block,
    Cell,
    Commands,
    Disclosure,
    Row,
    Section,
    Table,
    Text,
    number,
)
from lexalign.report.page_text import recorded


def provenance_section(runs: Mapping[str, Analysis]) -> Section:
    """Files with their hashes, parameters and times: one table each for all runs."""
    many = len(runs) > 1
    inputs: list[Row] = [
        [*([run] if many else []), name, Cell(path, "code"), Cell(digest, "code")]
        for run, found in runs.items()
        for name, path, digest in _files(found.run.record)
    ]
    tests = next(iter(runs.values())).tests
    inputs += [
        [*(["all"] if many else []), "test", Cell(str(test.lexicon), "code"),
         Cell(_digest(test.lexicon), "code")]
        for test in tests
    ]  # fmt: skip
    tables = [
        Table("Files", [*(["run"] if many else []), "input", "file", "SHA-256"], inputs),
        _beside(runs, _parameters, "Parameters", "parameter", "value"),
        _beside(runs, _seconds, "Time in seconds", "stage", "seconds"),
    ]
    shown: list[Block] = [
        table if table is tables[0] else Disclosure(table.caption, [table])
        for table in tables
        if table.rows
    ]
    return Section("provenance", "What was done", shown)


def _files(record: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    files = list[tuple[str, str, str]]()
    for name, entry in (record.get("inputs") or {}).items():
        facts = entry if isinstance(entry, dict) else {"path": entry}
        parts = facts.get("files") or {facts.get("path"): facts.get("sha256")}
        files += [(str(name), str(path), str(digest)) for path, digest in parts.items()]
    lexicons = (record.get("lexicons") or {}).items()
    return files + [("lexicon", str(path), str(digest)) for path, digest in lexicons]


def _digest(path: Path) -> str:
    # A pipe, such as the shell's <(…), can be read only once.
    return sha256(path) if path.is_file() else "–"


def _parameters(record: Mapping[str, Any]) -> dict[str, Cell]:
    found = {"method": record.get("method"), **(record.get("parameters") or {}),
             "seed": record.get("seed")}  # fmt: skip
    return {str(name): Cell(recorded(value)) for name, value in found.items()}


def _seconds(record: Mapping[str, Any]) -> dict[str, Cell]:
    seconds = (record.get("seconds") or {}).items()
    return {str(stage): number(f"{value:.1f}") for stage, value in seconds}


def _beside(runs: Mapping[str, Analysis], of: Any, caption: str, head: str, value: str) -> Table:
    """One row a name, one column a run."""
    columns = {run: of(found.run.record) for run, found in runs.items()}
    names = dict.fromkeys(name for column in columns.values() for name in column)
    blank = Cell("")
    rows = [[name, *(column.get(name, blank) for column in columns.values())] for name in names]
    return Table(caption, [head, *(runs if len(runs) > 1 else [value])], rows)


def reproduction_section(runs: Mapping[str, Analysis]) -> Section:
    """The commands, those of what was refined first, the versions, and what to cite."""
    blocks, citations, versions = list[Block](), list[str](), dict[str, None]()
    for run, found in runs.items():
        commands, record = list[str](), found.run.record
        versions[
            ", ".join(f"{name} {one}" for name, one in (record.get("versions") or {}).items())
        ] = None
        step: Mapping[str, Any] | None = record
        while step is not None:
            words = ["lexalign", *map(str, (step.get("command") or [])[1:])]
            commands.insert(0, shlex.join(words))
            citations.insert(0, str(step.get("citation", "")))
            step = step.get("base")
        if len(runs) > 1:
            blocks.append(Text(f"{run}:"))
        blocks.append(Commands(f"How to repeat {run}", list(dict.fromkeys(commands))))
    blocks += [Text(f"Versions: {text}", "note") for text in versions]
    cited = [Text(citation) for citation in dict.fromkeys(citations) if citation]
    return Section("reproduce", "Reproduce and cite", [*blocks, *cited])
