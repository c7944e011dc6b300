"""Exact retrieval in bounded memory: nearest neighbours, CSLS, inverted softmax, mutual pairs."""

from lexalign.retrieval.mutual import MutualPairs, mutual_pairs
from lexalign.retrieval.penalties import RETRIEVALS, log_partition, neighbourhood, penalty
from lexalign.retrieval.ranking import inverted_ranks, ranks
from lexalign.retrieval.search import Neighbours, top_k
from lexalign.retrieval.translator import Translation, Translator, translate

__all__ = [
    "RETRIEVALS",
    "MutualPairs",
    "Neighbours",
    "Translation",
    "Translator",
    "inverted_ranks",
    "log_partition",
    "mutual_pairs",
    "neighbourhood",
    "penalty",
    "ranks",
    "top_k",
    "translate",
]
