"""Dictionaries for other programs."""

from xml.etree import ElementTree

import numpy as np
import pytest

from lexalign.errors import LexalignError, OutputError
from lexalign.induction import Dictionary
from lexalign.induction.exports import EXPORTS, export
from lexalign.vectors import Lexicon

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@pytest.fixture
def found():
    return Dictionary(
        ("r&d", "<b>", "ice cream", "dog\x07"),
        ("F&E", '"fett"', "Eis", "Hund"),
        np.array([0.9, 0.25, 0.5, 1.0]),
        np.array([1, 1, 1, 1]),
    )


def test_tmx_is_xml_with_all_pairs(found, tmp_path):
    export(found, tmp_path / "d.tmx", "tmx", languages=("en", "de"))
    root = ElementTree.parse(tmp_path / "d.tmx").getroot()
    assert (root.tag, root.get("version")) == ("tmx", "1.4")
    assert root.find("header").get("srclang") == "en"
    units = root.findall("body/tu")
    assert [float(unit.find("prop").text) for unit in units] == [0.9, 0.25, 0.5, 1.0]
    pairs = [tuple(seg.text for seg in unit.findall("tuv/seg")) for unit in units]
    assert pairs == [*found.pairs[:3], ("dog", "Hund")]
    assert [side.get(LANGUAGE) for side in units[0].findall("tuv")] == ["en", "de"]


def test_tbx_is_xml_with_all_pairs(found, tmp_path):
    export(found, tmp_path / "d.tbx", "tbx", languages=('e"n', "de"))
    root = ElementTree.parse(tmp_path / "d.tbx").getroot()
    assert (root.tag, root.get("type"), root.get(LANGUAGE)) == ("martif", "TBX-Basic", 'e"n')
    entries = root.findall("text/body/termEntry")
    pairs = [tuple(term.text for term in entry.iter("term")) for entry in entries]
    assert pairs == [*found.pairs[:3], ("dog", "Hund")]
    assert entries[0].find("descrip").text == "9"


@pytest.mark.parametrize("format", ["muse", "xling"])
def test_pairs_are_read_as_a_lexicon(found, tmp_path, format):
    path = tmp_path / f"d{EXPORTS[format]}"
    export(found, path, format)
    pairs = Lexicon.read(path).pairs
    assert ("r&d", "F&E") in pairs
    assert (("ice cream", "Eis") in pairs) == (format == "xling")


def test_unknown_languages_have_the_code_for_it(found, tmp_path):
    export(found, tmp_path / "d.tmx", "tmx")
    assert 'srclang="und"' in (tmp_path / "d.tmx").read_text("utf-8")


@pytest.mark.parametrize("format", EXPORTS)
def test_a_file_is_not_replaced_unasked(found, tmp_path, format):
    path = tmp_path / "d"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(OutputError, match="already exists"):
        export(found, path, format)
    assert path.read_text("utf-8") == "old"
    export(found, path, format, overwrite=True)
    assert "F&" in path.read_text("utf-8")


def test_an_unknown_format_is_a_sentence(found, tmp_path):
    with pytest.raises(LexalignError, match="must be one of .*Got 'pdf' instead"):
        export(found, tmp_path / "d", "pdf")
    assert not list(tmp_path.iterdir())
