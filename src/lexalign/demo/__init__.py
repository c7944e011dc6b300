"""The bundled demonstration: English and German vectors, 10,000 words each."""

from lexalign.demo.data import demo_embeddings, demo_lexicon, write_demo_files
from lexalign.demo.demonstration import DemoResult, run_demo, write_demo_run

__all__ = [
    "DemoResult",
    "demo_embeddings",
    "demo_lexicon",
    "run_demo",
    "write_demo_files",
    "write_demo_run",
]
