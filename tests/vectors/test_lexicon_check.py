"""What a check finds in a lexicon, by itself and among two vocabularies."""

from lexalign.vectors import Lexicon
from lexalign.vectors.lexicon_check import EXAMPLES, Finding, LexiconCheck

LEXICON = Lexicon(
    [
        ("dog", "Hund"),
        ("dog", "Rüde"),
        ("hound", "Hund"),
        ("dog", "Hund"),  # again
        ("dog", "Hund"),  # and again
        ("Dog", "hund"),  # again but for case
        ("Berlin", "Berlin"),
        ("hotel", "Hotel"),
    ]
)


def counts(check):
    return {name: finding.count for name, finding in check.findings.items()}


def test_what_a_lexicon_holds():
    check = LexiconCheck.of(LEXICON)
    assert counts(check) == {
        "pairs": 8,
        "source_words": 5,
        "target_words": 5,
        "repeated_pairs": 2,
        "repeated_ignoring_case": 1,
        "one_to_many": 1,
        "many_to_one": 1,
        "identical_pairs": 1,
        "identical_ignoring_case": 1,
    }
    assert check.findings["repeated_pairs"].examples == ("dog → Hund",)
    assert check.findings["repeated_ignoring_case"].examples == ("Dog → hund",)
    assert check.findings["one_to_many"].examples == ("dog",)
    assert check.findings["many_to_one"].examples == ("Hund",)
    assert check.findings["identical_ignoring_case"].examples == ("hotel → Hotel",)


def test_what_two_vocabularies_know():
    check = LexiconCheck.of(LEXICON, (["dog", "hound", "berlin"], ["Hund", "berlin", "hotel"]))
    assert {name: count for name, count in counts(check).items() if "known" in name} == {
        "known_pairs": 4,
        "known_ignoring_case": 2,
        "known_swapped": 0,
        "unknown_source": 3,
        "unknown_source_by_case": 2,
        "unknown_target": 4,
        "unknown_target_by_case": 3,
    }
    assert check.findings["known_ignoring_case"].examples == ("Dog → hund", "Berlin → Berlin")
    assert check.findings["unknown_source"].examples == ("Dog", "Berlin", "hotel")
    assert check.findings["unknown_target"].examples == ("Rüde", "hund", "Berlin", "Hotel")


def test_a_swapped_lexicon_is_noticed():
    words = [f"s{i}" for i in range(30)], [f"t{i}" for i in range(30)]
    right = Lexicon(list(zip(*words, strict=True)))
    assert not LexiconCheck.of(right, words).seems_swapped
    assert not LexiconCheck.of(right.swapped()).seems_swapped  # nobody knows the words
    check = LexiconCheck.of(right.swapped(), words)
    assert check.seems_swapped
    assert check.findings["known_swapped"].count == 30
    assert check.findings["known_swapped"].examples[0] == "t0 → s0"


def test_only_the_first_examples_are_kept():
    check = LexiconCheck.of(Lexicon([(word, word) for word in "abcdefgh"]))
    examples = tuple(f"{word} → {word}" for word in "abcdefgh"[:EXAMPLES])
    assert check.findings["identical_pairs"] == Finding(8, examples)


def test_a_check_is_ready_for_json():
    found = LexiconCheck.of(LEXICON).as_dict()
    assert found["pairs"] == 8
    assert found["one_to_many"] == {"count": 1, "examples": ["dog"]}


def test_a_lexicon_without_pairs_has_no_findings():
    assert not any(counts(LexiconCheck.of(Lexicon([]), ([], []))).values())
