"""Apply a map to files of any length, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lexalign.errors import InputError, about
from lexalign.progress import Stage
from lexalign.spaces.probes import ProbeCheck
from lexalign.spaces.side import Side
from lexalign.vectors import Block, Census, Policy, detect_format, read_stream, write_stream
from lexalign.vectors.fasttext_binary import compose
from lexalign.vectors.stream import claim_vectors


def map_file(
    vectors: Path,
    side: Side,
    output: Path,
    *,
    limit: int | None = None,
    policy: Policy | None = None,
    language: str | None = None,
    normalisation: tuple[str, ...] = (),
    force: bool = False,
    overwrite: bool = False,
    on_block: Callable[[Block], None] | None = None,
    stage: Stage | None = None,
) -> Census:
    """Map the words of ``vectors`` into the shared space and write them to ``output``.

    The suffix of ``output`` sets its format; a folder also keeps ``language`` and
    ``normalisation``. Memory holds the words and one block of vectors. The probe words detect
    vectors for which the map was not learned; these are an error unless ``force`` is set.
    ``on_block`` receives every mapped block. A ``stage`` counts words.
    """
    claim = claim_vectors(output, overwrite=overwrite)
    census, check = Census(), ProbeCheck(() if force else side.probes)

    def mapped() -> Iterator[Block]:
        blocks = read_stream(
            vectors, limit=limit, policy=policy or Policy(), census=census, stage=stage
        )
        for block in blocks:
            with about(vectors):
                mapped_rows = side.apply(block.matrix)
                check.look(block.words, block.matrix)
            block = block.with_matrix(mapped_rows)
            if on_block is not None:
                on_block(block)
            yield block
        with about(vectors):
            check.require_fit()

    write_stream(output, mapped(), language=language, normalisation=normalisation, claim=claim)
    check.warn_if_blind(f"{vectors} has")
    return census


def map_words(
    model: Path,
    words: Sequence[str],
    side: Side,
    output: Path,
    *,
    force: bool = False,
    overwrite: bool = False,
) -> None:
    """Map words of a fastText model, including words composed from n-grams."""
    claim, found = claim_vectors(output, overwrite=overwrite), detect_format(model)
    if found != "fasttext-binary":
        raise InputError(
            f"only a fastText model can compose words, but this is {found}",
            path=model,
            remedy="map the whole file, or name the .bin of fastText",
        )
    probes = () if force else side.probes
    block, known = compose(model, list(dict.fromkeys(words)), [probe.word for probe in probes])
    check = ProbeCheck(probes)
    with about(model):
        mapped = side.apply(block.matrix)
        check.look(known.words, known.matrix)
        check.require_fit()
    write_stream(output, [block.with_matrix(mapped)], normalisation=side.steps, claim=claim)
    check.warn_if_blind(f"{model} has")
