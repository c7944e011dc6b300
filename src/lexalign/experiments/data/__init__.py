"""The public inputs of the paper: a catalogue of their addresses, and how to fetch them."""

from __future__ import annotations

from lexalign.experiments.data.catalogue import CatalogueEntry, RemoteFile, catalogue
from lexalign.experiments.data.data_folder import default_folder
from lexalign.experiments.data.fetching import FetchedFile, fetch, fetch_files

__all__ = [
    "CatalogueEntry",
    "FetchedFile",
    "RemoteFile",
    "catalogue",
    "default_folder",
    "fetch",
    "fetch_files",
]
