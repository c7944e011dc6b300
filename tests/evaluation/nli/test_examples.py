"""Every layout of an NLI corpus gives the same pairs."""

import gzip
import json

import pytest

from lexalign.errors import InputError
from lexalign.evaluation.nli import Example, Examples

PAIRS = [
    Example("p1", "A man sleeps.", "A person rests.", 0),
    Example("p2", "A man sleeps.", "A man runs.", 2),
]
LABELS = "entailment", "contradiction"
HEADING = (
    "gold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\tsentence2_parse\t"
    "sentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\tlabel4\tlabel5"
)
XNLI = (
    "language\tgold_label\tsentence1_binary_parse\tsentence2_binary_parse\tsentence1_parse\t"
    "sentence2_parse\tsentence1\tsentence2\tpromptID\tpairID\tgenre\tlabel1\tlabel2\tlabel3\t"
    "label4\tlabel5\tsentence1_tokenized\tsentence2_tokenized\tmatch"
)


def layouts():
    rows = list(zip(PAIRS, LABELS, strict=True))
    return {
        "multinli.jsonl": "\n".join(
            json.dumps(
                {"gold_label": label, "sentence1": pair.premise, "sentence2": pair.hypothesis,
                 "pairID": pair.name, "annotator_labels": [label]}
            )
            for pair, label in rows
        ),
        "multinli.txt": "\n".join(
            [HEADING]
            + [
                "\t".join([label, *"abcd", p.premise, p.hypothesis, "7", p.name, "fiction", label])
                for p, label in rows
            ]
        ),
        "plain.tsv": "\n".join(
            f"{p.name}\tfiction\t{p.premise}\t{p.hypothesis}\t{label}" for p, label in rows
        ),
        "plain.jsonl": "\n".join(
            json.dumps({"pair": p.name, "premise": p.premise, "hypothesis": p.hypothesis,
                        "label": label})
            for p, label in rows
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", layouts())
@pytest.mark.parametrize("compress", [False, True])
def test_all_layouts_are_read(tmp_path, name, compress):
    text = "\ufeff" + layouts()[name] + "\r\n\r\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if compress else text.encode())
    found = Examples.read(path)
    assert list(found.pairs) == PAIRS
    assert found.unlabelled == 0
    assert len(Examples.read(path, limit=1)) == 1


def test_pairs_without_a_label_are_left_out_and_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"premise": "a", "hypothesis": "b", "label": "-"}\n' + layouts()["plain.jsonl"]
    )
    found = Examples.read(path)
    assert len(found) == 2
    assert found.unlabelled == 1


def xnli(path, *rows):
    """A file like that of XNLI, with sentences as they are and segmented."""
    lines = [
        "\t".join(
            [language, "neutral", *"....", one, two, "1", "1", "x", *"-----", *segmented, "True"]
        )
        for language, one, two, segmented in rows
    ]
    path.write_text("\n".join([XNLI, *lines]) + "\n")
    return path


def test_a_file_of_several_languages_needs_one_named(tmp_path):
    path = xnli(
        tmp_path / "xnli.tsv",
        ("de", "ja", 'er sagte "nein', ("ja", "er sagte nein")),
        ("zh", "他不在", "他在", ("他 不 在", "他 在")),
    )
    (german,) = Examples.read(path, "de").pairs
    assert german.hypothesis == 'er sagte "nein'
    assert Examples.read(path, "zh").pairs[0].premise == "他不在"
    assert Examples.read(path, "zh", segmented=True).pairs[0].premise == "他 不 在"
    with pytest.raises(InputError, match="line 3: the file has several languages"):
        Examples.read(path)
    with pytest.raises(InputError, match="no pairs of the language 'ru'"):
        Examples.read(path, "ru")


def test_translated_multinli_has_names_of_its_own(tmp_path):
    path = tmp_path / "multinli.train.de.tsv"
    path.write_text("premise\thypo\tlabel\nja\tnein\tcontradictory\n")
    assert Examples.read(path).pairs == [Example("2", "ja", "nein", 2)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1\tx\ta\tb\tneutral\n2\tx\ta\tb\n", "line 2: expected 5 columns, found 4"),
        ("1\tx\ta\tb\tmaybe\n", "line 1: the label 'maybe' is unknown"),
        ('{"premise": "a", "label": "neutral"}\n', "line 1: the field hypothesis is missing"),
        (
            '{"premise": null, "hypothesis": "b", "label": "neutral"}\n',
            "the field premise is missing",
        ),
        ('{"premise": "a"}\n[1]\n', "line 1: the field label is missing"),
        (
            "gold_label\tsentence1\tsentence2\nneutral\ta\n",
            "line 2: the field hypothesis is missing",
        ),
        ("{broken\n", "line 1: the line is not JSON"),
        ('{"premise": ' + "[" * 100_000 + "\n", "line 1: the line is not JSON"),
        ("", "has no labelled pairs"),
    ],
)
def test_bad_lines_are_named(tmp_path, text, problem):
    path = tmp_path / "bad.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        Examples.read(path)
