"""The public inputs of the paper: a catalogue of where they are, and fetching them from there."""

from __future__ import annotations

from lexalign.data.entries import Entry, RemoteFile, catalogue
from lexalign.data.files import Fetched, fetch, fetch_files
from lexalign.data.folder import default_folder

__all__ = [
    "Entry",
    "Fetched",
    "RemoteFile",
    "catalogue",
    "default_folder",
    "fetch",
    "fetch_files",
]
