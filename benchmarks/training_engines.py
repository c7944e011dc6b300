"""Training by torch beside training by gensim: tokens a second, and what the vectors are worth.

Wants a folder of corpora, ``NAME.LANGUAGE.txt.xz``, and the dictionaries of MUSE. Every engine
trains both languages of a pair with the same parameters. Procrustes is fitted to the seeds of MUSE,
and P@1 is that of its test words, among the 50,000 most frequent words. For English there is also
Spearman's correlation with human judgements of similarity, from the sets that gensim brings along.

Seconds are those of the call of the trainer, reading the text included: gensim reads it in every
epoch, torch once. ``training`` is the stage of that name alone.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.measure import heading, row, table
from benchmarks.training import shortened
from lexalign import Embeddings, Lexicon, evaluate
from lexalign.aligners import ALIGNERS
from lexalign.evaluation.similarity import read_judgements, word_similarity
from lexalign.progress import Progress
from lexalign.training import Corpus, Counts, Trainer
from lexalign.training.settings import ENGINES

LARGEST = 50_000
SIMILARITY = {"SimLex-999": "simlex999.txt", "WordSim-353": "wordsim353.tsv"}


def main() -> None:
    """Train both languages by each engine, once for every random seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("dictionaries", type=Path)
    parser.add_argument("pair", help="such as en-de")
    parser.add_argument("--model", default="skipgram")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--engines", nargs="*", choices=ENGINES[1:], default=list(ENGINES[1:]))
    parser.add_argument("--random-seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--part", type=int, default=1, help="every so many lines of the text")
    parser.add_argument("--workers", type=int, default=2, help="threads of gensim")
    parser.add_argument("--device", default="cpu", help="where torch trains")
    chosen = parser.parse_args()
    languages = chosen.pair.split("-")
    seeds, test = (
        Lexicon.read(chosen.dictionaries / f"muse/{chosen.pair}.{part}.txt")
        for part in ("0-5000", "5000-6500")
    )
    with tempfile.TemporaryDirectory() as folder:
        texts = {
            language: _text(chosen.corpora, language, chosen.part, Path(folder))
            for language in languages
        }
        counts = {language: Counts.of(text) for language, text in texts.items()}
        tokens = " and ".join(f"{counts[language].tokens:,}" for language in languages)
        heading(f"{chosen.model}, {chosen.pair}, {tokens} tokens, {chosen.epochs} epochs")
        table("engine", "seed", "tokens/s", "training alone", "P@1 csls", "P@1 nn", *SIMILARITY)
        for seed in chosen.random_seeds:
            for engine in chosen.engines:
                trainer = Trainer(
                    model=chosen.model,
                    epochs=chosen.epochs,
                    seed=seed,
                    workers=chosen.workers,
                    engine=engine,
                    device=chosen.device if engine == "torch" else "cpu",
                )
                found = [_trained(trainer, texts[name], counts[name]) for name in languages]
                speeds = zip(*(speed for _, speed in found), strict=True)
                space = found[0][0].top(LARGEST), found[1][0].top(LARGEST)
                row(
                    engine,
                    f"{seed}",
                    *(f"{statistics.fmean(speed):,.0f}" for speed in speeds),
                    *(f"{score:.1f}" for score in _accuracy(*space, seeds, test)),
                    *(
                        _similarity(found[0][0], languages[0], name, Path(folder))
                        for name in SIMILARITY
                    ),
                )


def _text(corpora: Path, language: str, part: int, folder: Path) -> Corpus:
    (path,) = corpora.glob(f"*.{language}.txt*")
    return Corpus((path if part == 1 else shortened(path, part, folder / f"{language}.txt"),))


def _trained(
    trainer: Trainer, text: Corpus, counts: Counts
) -> tuple[Embeddings, tuple[float, float]]:
    """The vectors, and tokens a second of the whole call and of its stage "training"."""
    words = counts.most_frequent(trainer.vocabulary, trainer.minimum_count)
    progress, began = Progress(), time.perf_counter()
    vectors = trainer.train(text, words, counts.tokens, progress)
    whole = time.perf_counter() - began
    read = trainer.epochs * counts.tokens
    return vectors, (read / whole, read / progress.seconds["training"])


def _accuracy(
    source: Embeddings, target: Embeddings, seeds: Lexicon, test: Lexicon
) -> tuple[float, float]:
    aligned = ALIGNERS["procrustes"]().fit(source, target, seeds)
    csls, nearest = (
        evaluate(aligned.source, aligned.target, test, retrieval=retrieval).precision(1)
        for retrieval in ("csls", "nn")
    )
    return 100 * csls, 100 * nearest


def _similarity(vectors: Embeddings, language: str, name: str, folder: Path) -> str:
    """Spearman's correlation, and the number of pairs whose words have vectors."""
    if language != "en":
        return "–"
    from gensim.test.utils import datapath

    path = folder / name
    lines = Path(datapath(SIMILARITY[name])).read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("#")) + "\n")
    result = word_similarity(vectors, vectors, read_judgements(path), lowercase=True)
    return f"{result.spearman:.3f} ({result.queries})"


if __name__ == "__main__":
    main()
