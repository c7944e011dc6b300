"""Languages of a sample: shares that are right, and no nonsense where nothing is known."""

import sys

import pytest

from lexalign.errors import InputError, LexalignError
from lexalign.training import languages as module
from lexalign.training.language_names import language_code, language_name
from lexalign.training.languages import LANGUAGE, LanguageShares, identify, known_languages
from tests.training.language_text import lines_in, mixed


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_text_of_one_language_is_recognised_and_gives_no_finding(language):
    found = identify([line.lower() for line in lines_in(language)])
    assert found.main == language
    assert found.shares[language] > 0.98
    assert found.findings() == []
    assert language_name(language) in found.statement()


def test_the_share_of_a_second_language_is_measured_and_quoted():
    found = identify(mixed(de=120, en=24))
    words = sum(len(line.split()) for line in lines_in("en", 24))
    share = words / sum(len(line.split()) for line in mixed(de=120, en=24))
    assert found.shares["en"] == pytest.approx(share, abs=0.01)
    (finding,) = found.findings()
    assert finding.startswith(
        f"{100 * share:.0f} % of this German text looks English (sample of 144 pass"
    )
    assert found.findings(without=("en",)) == []
    assert found == identify(mixed(de=120, en=24))


def test_a_mixture_without_a_main_language_is_called_so():
    (finding,) = identify(mixed(de=50, en=50, fr=60)).findings()
    assert finding.startswith("this text is a mixture of languages: ")


def test_the_expected_language_is_required_in_a_clear_case_alone():
    with pytest.raises(InputError, match="is hardly French: the sample is 8. % German, .*Engl"):
        identify(mixed(de=120, en=24), "fr").require_expected()
    for text, language in (
        (mixed(de=100, fr=20), "fr"),  # a part of it
        (lines_in("de", 20), "fr"),  # too little text
        (lines_in("de"), "gsw"),  # not a language that can be identified
        (["x7 q9 zz 44"] * 100, "fr"),  # nothing can be said
        (lines_in("de"), "auto"),
    ):
        identify(text, language).require_expected()
    (finding,) = identify(mixed(de=100, fr=20), "French").findings()
    assert finding.startswith("only 1")
    assert "of this text looks French" in finding
    assert identify(lines_in("de"), "de-AT").findings() == []


def test_a_language_that_is_not_known_is_not_judged():
    found = identify(lines_in("de"), "gsw")
    assert not found.is_known
    assert found.findings() == []
    assert "gsw cannot be identified; the text looks 100 % German" in found.statement()


@pytest.mark.parametrize(
    "passages",
    [
        ["\ufffd\x00\x01 \ufffd\ufffd", "\x1b[31m 8 \ufffd"] * 50,
        ["1 2 3 4 5", "77 88"] * 50,
        [f"zxq{n} vvk{n} qqj{n} xxw{n}" for n in range(100)],
        ["yes", "no", "ok"] * 40,
        [],
        [""],
        ["\ud800 broken"] * 20,
    ],
)
def test_what_is_no_running_text_gives_no_finding(passages):
    found = identify(passages)
    assert found.findings() == []
    assert found.statement()
    assert sum(found.shares.values()) + found.undetermined == pytest.approx(1 if passages else 0)


def test_small_samples_give_no_finding():
    assert identify([*lines_in("de", 4), *lines_in("en", 4)]).findings() == []


def test_second_languages_must_exceed_the_doubt():
    """Text in an unknown language: some passages look like this language, some like that."""
    spread = LanguageShares({"pl": 0.75, "cs": 0.04, "sl": 0.03}, 300, examples={"cs": "x"})
    assert spread.findings() == []
    unclear = LanguageShares({"it": 0.4, "es": 0.2}, 300)
    assert unclear.findings() == []
    assert unclear.main == ""
    assert "perhaps none of the" in unclear.statement()


def test_close_languages_count_as_one():
    serbian = LanguageShares({"hr": 0.4, "bs": 0.35, "sr": 0.22}, 300, "sr")
    assert serbian.findings() == []
    serbian.require_expected()
    assert LanguageShares({"hr": 0.4, "bs": 0.35, "sr": 0.22}, 300).main == "hr"


def test_without_the_library_nothing_is_checked(monkeypatch):
    module._identifier.cache_clear()
    monkeypatch.setitem(sys.modules, "py3langid", None)
    found = identify(lines_in("de"), "fr")
    found.require_expected()
    assert found.findings() == []
    assert "not checked: The language check needs optional packages" in found.statement()
    assert found.as_dict()["checked"] is False


def test_without_room_for_a_temporary_file_nothing_is_checked(monkeypatch):
    def full():
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(module, "_identifier", full)
    found = identify(["das haus steht am ende der strasse"], "de")
    assert not found.shares
    assert "cannot write a temporary file (No usable" in found.reason
    assert found.expected == "de"


def test_the_check_can_be_left_out():
    found = identify(lines_in("de"), "none")
    assert found.is_off
    assert found.as_dict() == {"checked": False, "reason": "switched off", "expected": ""}


def test_examples_can_be_printed():
    found = identify([*lines_in("de"), *(f"\x1b[31m {line}" for line in lines_in("en", 40))])
    assert found.examples["en"].isprintable()
    assert len(found.examples["en"]) <= 42


def test_names_and_codes():
    assert language_code("German") == language_code("DE_at") == "de"
    assert language_code("nb") == "no"
    assert language_name("gsw") == "gsw"
    for text in ("auto", "none", "de", "gsw", "Welsh"):
        LANGUAGE.require("language", text, "training")
    for text in ("", "germn", "d", "de fr", "12"):
        with pytest.raises(LexalignError, match="`language` parameter of training must be auto"):
            LANGUAGE.require("language", text, "training")
    assert len(known_languages()) > 90
