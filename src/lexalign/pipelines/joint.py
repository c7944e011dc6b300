"""Joint-Align from text, or from jointly trained vectors, into the folder of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lexalign.aligners.aligner import Aligner
from lexalign.aligners.pairs import SEEDS
from lexalign.aligners.retries import Retries
from lexalign.atomic import Claim
from lexalign.digests import digest_of_input
from lexalign.errors import LexalignError, about
from lexalign.pipelines.align import seed_figures, seed_pairs
from lexalign.progress import Progress
from lexalign.runs import LAYOUT, SIDES, claim_run, new_run
from lexalign.training import Counts, Trainer
from lexalign.training.inspection import Report, announce
from lexalign.training.joint.joint_alignment import CITATION, REMEDIES, align_joint, shared_map
from lexalign.training.joint.joint_text import JointText
from lexalign.training.joint.reallocation import (
    THRESHOLD,
    Reallocation,
    reallocate,
    require_threshold,
)
from lexalign.vectors import Embeddings, Lexicon, read
from lexalign.vectors.tokens import composed


@dataclass(frozen=True, kw_only=True)
class FileJointAlignment:
    """How jointly trained words are assigned to languages, aligned and written.

    The words of the ``lexicon`` file are treated like the text: changed to composed form and,
    unless ``keep_case``, to lower case.
    """

    aligner: Aligner
    threshold: float = THRESHOLD.default
    lexicon: Path | None = None
    keep_case: bool = False
    output_format: str = "vec"
    overwrite: bool = False
    retries: Retries = field(default_factory=lambda: Retries(remedies=REMEDIES))
    progress: Progress = field(default_factory=Progress)

    def from_text(
        self,
        source: tuple[Path, ...],
        target: tuple[Path, ...],
        trainer: Trainer,
        output: Path,
        *,
        rule: str = "words",
        source_language: str = "auto",
        target_language: str = "auto",
        checkpoints: str = "",
        report: Report | None = None,
    ) -> dict[str, Any]:
        """Train on the text of both languages, then align into the folder ``output``.

        The folder also holds the joint vectors and the counts, which ``from_vectors`` can align
        again. ``report`` is called before training. Returns the summary for the closing table.
        """
        claim, lexicon = self._prepared(output, (*source, *target))
        trainer.require_packages()
        text = JointText.read(
            source,
            target,
            trainer,
            rule=rule,
            keep_case=self.keep_case,
            source_language=source_language,
            target_language=target_language,
            progress=self.progress,
        )
        inspection = text.inspection(self.threshold, self.progress)
        announce(inspection, report)
        inspected = {"text": inspection.as_dict()}
        reallocation = self._reallocated(tuple(text.words), text.counts, lexicon)
        joint = text.train(self.progress, checkpoints)
        record = {**text.as_dict(), **inspected}
        return self._align(joint, reallocation, lexicon, claim, record, text) | inspected

    def from_vectors(
        self, joint: Path, source_counts: Path, target_counts: Path, output: Path
    ) -> dict[str, Any]:
        """Align the words of a file of jointly trained vectors, given two files of counts."""
        claim, lexicon = self._prepared(output, (joint, source_counts, target_counts))
        with self.progress.stage("reading vectors", unit="words") as stage:
            vectors = read(joint, stage=stage)
            both = Counts.read(source_counts), Counts.read(target_counts)
        reallocation = self._reallocated(vectors.words, both, lexicon)
        paths = {"joint": joint, "source_counts": source_counts, "target_counts": target_counts}
        inputs = {
            name: {"path": str(path), "sha256": digest_of_input(name, path, self.progress)}
            for name, path in paths.items()
        }
        return self._align(vectors, reallocation, lexicon, claim, {"inputs": inputs})

    def _prepared(self, output: Path, inputs: Iterable[Path]) -> tuple[Claim, Lexicon | None]:
        """Raise before long work if a later step cannot run; return the lexicon, if any."""
        LAYOUT.suffix(self.output_format)
        claim = claim_run(output, (*inputs, self.lexicon), overwrite=self.overwrite)
        require_threshold(self.threshold)
        if str(self.lexicon) in SEEDS:
            raise LexalignError(
                f"{str(self.lexicon)!r} cannot serve as a seed lexicon here, because identical "
                "words are shared and not aligned; give a dictionary, or choose an unsupervised "
                "aligner."
            )
        self.aligner.require_supervision(given=self.lexicon is not None)
        self.aligner.require_packages()
        self.retries.require_sense(self.aligner)
        if self.lexicon is None:
            return claim, None
        lexicon = Lexicon.read(self.lexicon, lowercase=not self.keep_case)
        pairs = [(composed(one), composed(other)) for one, other in lexicon.pairs]
        return claim, Lexicon(pairs, lexicon.weights)

    def _reallocated(
        self, words: Sequence[str], counts: tuple[Counts, Counts], lexicon: Lexicon | None
    ) -> Reallocation:
        reallocation = reallocate(words, *counts, self.threshold)
        with about(self.lexicon):
            reallocation.require_alignable(lexicon, self.aligner.case)
        return reallocation

    def _align(
        self,
        joint: Embeddings,
        words: Reallocation,
        lexicon: Lexicon | None,
        claim: Claim,
        record: Mapping[str, Any],
        text: JointText | None = None,
    ) -> dict[str, Any]:
        """Align and write, including joint vectors and counts if they come from this text."""
        with about(self.lexicon):
            aligned = align_joint(
                joint, words, self.aligner, lexicon, retries=self.retries, progress=self.progress
            )
        known = None if lexicon is None else words.known(lexicon, self.aligner.case)
        seeds = seed_figures(lexicon, known)
        suffix = LAYOUT.suffix(self.output_format)
        with new_run(claim, progress=self.progress) as run:
            run.vectors(aligned.source, "source", suffix)
            run.vectors(aligned.target, "target", suffix)
            if text is not None:
                run.vectors(joint, LAYOUT.joint, suffix)
            with self.progress.stage("writing"):
                if text is not None:
                    for name, counts in zip(SIDES, text.counts, strict=True):
                        run.counts(counts, name)
                run.map(aligned.map)
                if words.shared.any():
                    run.map(shared_map(aligned, joint, words), LAYOUT.shared)
                run.lexicon(aligned.lexicon)
                run.seeds(aligned.seeds)
            run.record(
                {
                    "method": f"joint-{self.aligner.name}",
                    "parameters": {**self.aligner.parameters, "threshold": self.threshold},
                    "seed": self.aligner.seed,
                    **record,
                    "lexicon": None if self.lexicon is None else str(self.lexicon),
                    "seed_pairs": seed_pairs(seeds),
                    "words": words.as_dict(),
                    "citation": f"{CITATION} {aligned.citation}",
                    "history": aligned.history,
                    **aligned.health_record(),
                }
            )
        return {
            "output": str(claim.path),
            "method": f"joint training and {self.aligner.name}",
            "words": words.as_dict(),
            **seeds,
            "warning": aligned.warning,
            "pairs": len(aligned.lexicon),
            "history": list(aligned.history),
            **aligned.health_record(),
            "remedies": self.retries.remedies,
            "seconds": self.progress.seconds,
        }
