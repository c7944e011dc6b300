"""Write the reference of all parameters.

``python -m benchmarks.parameters docs/reference/parameters.md``
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lexalign.aligners import ALIGNERS, Aligner
from lexalign.aligners.retries import Retries
from lexalign.evaluation.nli.learner import Learner
from lexalign.evaluation.protocols import Protocol
from lexalign.induction import Inducer
from lexalign.induction.ranker import Boosting
from lexalign.parameters import parameters_of, reference_table
from lexalign.refinement import Refiner
from lexalign.retrieval import Translator
from lexalign.training import Trainer
from lexalign.training.joint import THRESHOLD
from lexalign.vectors.lexicon_split import LexiconSplit
from lexalign.vectors.policy import Policy

HEAD = """# Parameters

This page lists every parameter with its type or choices, default, bounds and meaning. It is
generated from the declarations in the code:
`python -m benchmarks.parameters docs/reference/parameters.md`. In Python, pass a parameter as a
keyword argument: `lexalign.align("procb", ..., max_pairs=5000)`. On the command line it is an
option: `lexalign align procb ... --max-pairs 5000`. In the TOML file of a grid it is a key:
`max_pairs = 5000`.
"""


def page() -> str:
    """The whole page."""
    common = parameters_of(Aligner)
    sections = {"Every aligner": common, "Restarts and fallback of `align`": parameters_of(Retries)}
    for name, kind in ALIGNERS.items():
        own = parameters_of(kind)
        differ = {key: one for key, one in own.items() if common.get(key) != one}
        sections[f"Aligner {name}"] = differ
    sections |= {
        "Joint alignment": {"threshold": THRESHOLD},
        "Refinement": parameters_of(Refiner),
        "Induction": parameters_of(Inducer),
        "Ranker of an induction": parameters_of(Boosting),
        "Training": parameters_of(Trainer),
        "Evaluation protocol": parameters_of(Protocol),
        "Translation": parameters_of(Translator),
        "Natural language inference": parameters_of(Learner),
        "Splitting a lexicon": parameters_of(LexiconSplit),
        "Reading vectors": parameters_of(Policy),
    }
    tables = (f"## {title}\n\n{reference_table(table)}" for title, table in sections.items())
    return "\n".join([HEAD, *tables])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.parse_args().output.write_text(page(), encoding="utf-8")
