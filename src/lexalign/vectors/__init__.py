"""Words and their vectors: the types, and all file formats."""

from lexalign.vectors.block import Block
from lexalign.vectors.embeddings import Embeddings, require_embeddings
from lexalign.vectors.formats import FORMATS, detect_format
from lexalign.vectors.lexicon import Lexicon
from lexalign.vectors.lexicon_indices import LexiconIndices
from lexalign.vectors.policy import Census, Policy
from lexalign.vectors.stream import FREQUENT_WORDS, convert, read, read_stream, write, write_stream

__all__ = [
    "FORMATS",
    "FREQUENT_WORDS",
    "Block",
    "Census",
    "Embeddings",
    "Lexicon",
    "LexiconIndices",
    "Policy",
    "convert",
    "detect_format",
    "read",
    "read_stream",
    "require_embeddings",
    "write",
    "write_stream",
]
