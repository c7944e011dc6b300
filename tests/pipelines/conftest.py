"""Fixtures of other folders that pipelines need, too."""

from tests.training.conftest import corpus_file

__all__ = ["corpus_file"]
