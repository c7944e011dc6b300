"""Decisions about a dictionary: kept at once, never lost to somebody else's."""

import multiprocessing

import pytest

from lexalign.errors import InputError, LexalignError, OutputError
from lexalign.runs import LAYOUT
from lexalign.runs.review import Change, ConflictError, Review
from lexalign.vectors import Lexicon


def test_decisions_are_kept_changed_and_taken_back(tmp_path):
    review = Review(tmp_path)
    assert review.verdicts() == {}
    review.decide([Change("dog", "hund", "right"), Change("cat", "hund", "wrong")])
    assert Review(tmp_path).verdicts() == {("dog", "hund"): "right", ("cat", "hund"): "wrong"}
    review.decide([Change("dog", "hund", "wrong", seen="right")])
    review.decide([Change("cat", "hund", None, seen="wrong")])
    assert Review(tmp_path).verdicts() == {("dog", "hund"): "wrong"}
    text = (tmp_path / LAYOUT.review).read_text(encoding="utf-8")
    assert text == "source\ttarget\tverdict\ndog\thund\twrong\n"


def test_what_somebody_else_decided_is_not_overwritten(tmp_path):
    one, other = Review(tmp_path), Review(tmp_path)
    one.decide([Change("dog", "hund", "right")])
    with pytest.raises(ConflictError, match="dog – hund was called right elsewhere"):
        other.decide([Change("cat", "katze", "right"), Change("dog", "hund", "wrong")])
    assert other.verdicts() == {("dog", "hund"): "right"}, "all changes are made, or none"
    other.decide([Change("dog", "hund", "right")])  # the same decision is no conflict


def decide_many(folder, name):
    for number in range(30):
        Review(folder).decide([Change(f"{name}{number}", "x", "right")])


def test_two_programs_lose_nothing_of_each_other(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=decide_many, args=(tmp_path, name)) for name in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(Review(tmp_path).verdicts()) == 60


def test_seeds_are_the_old_ones_without_the_wrong_and_with_the_right(tmp_path):
    review = Review(tmp_path)
    review.decide(
        [
            Change("dog", "hund", "right"),
            Change("cat", "hund", "wrong"),
            Change("cat", "katze", "right"),
        ]
    )
    old = Lexicon([("sun", "sonne"), ("cat", "hund"), ("dog", "hund")])
    assert list(review.seeds(old).pairs) == [("sun", "sonne"), ("dog", "hund"), ("cat", "katze")]
    assert list(review.seeds().pairs) == [("dog", "hund"), ("cat", "katze")]


@pytest.mark.parametrize(
    "change",
    [
        Change("a\tb", "c", "right"),
        Change("a", "b\nc", "right"),
        Change(" ", "b", "right"),
        Change("a", "b", "perhaps"),
    ],
)
def test_bad_changes_are_refused(tmp_path, change):
    with pytest.raises(LexalignError):
        Review(tmp_path).decide([change])
    assert not (tmp_path / LAYOUT.review).exists()


@pytest.mark.parametrize("content", [b"source\n a\tb\n", b"x\na\tb\tmaybe\n", b"x\n\xff\n"])
def test_a_damaged_file_is_named_and_left_alone(tmp_path, content):
    path = tmp_path / LAYOUT.review
    path.write_bytes(content)
    with pytest.raises(InputError, match="review.tsv"):
        Review(tmp_path).decide([Change("a", "b", "right")])
    assert path.read_bytes() == content


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path):
    (tmp_path / LAYOUT.review).mkdir()
    with pytest.raises(InputError, match="review.tsv: it cannot be read"):
        Review(tmp_path).verdicts()


def test_a_folder_that_is_gone_is_an_error(tmp_path):
    with pytest.raises(OutputError, match="the decision is not kept"):
        Review(tmp_path / "gone").decide([Change("a", "b", "right")])
