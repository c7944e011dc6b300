"""The explorer: a local page that translates words and shows how a refinement moves them."""

from lexalign.explore.explorer import Explorer, open_explorer
from lexalign.explore.server import serve

__all__ = ["Explorer", "open_explorer", "serve"]
