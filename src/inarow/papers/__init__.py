"""What a paper is made of: names for its `study.py`, `claims.py` and `paper.py`."""

from importlib import import_module

PLACES = {
    "published": ("Entry", "Published"),
    "study": ("Condition", "Part", "Request", "Runs", "grid", "read_finals", "shorter"),
    "measures": ("Data", "Measure", "Measured", "computed", "curve", "exactly", "fact", "final",
                 "from_count", "from_values", "of_row", "of_rows", "share", "share_curve"),
    "claims": ("Claim", "Column", "Costs", "Exactly", "Means", "Shares", "above", "always",
               "below", "between", "equal"),
    "variants": ("Variant", "Variants", "read_variants"),
    "tables": ("Grid", "Made", "NumberTable", "Table"),
    "figures": ("Curves", "Figure", "Level", "Line", "Note", "Panel", "averaged", "counted"),
    "paper": ("Finding", "Paper", "names", "paper_of"),
    "page": ("page_of",),
    "report": ("report_html",),
    "addresses": ("address", "addresses", "settings"),
}  # fmt: skip
MODULE_OF = {name: module for module, names in PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    """Load a name when it is first asked for: works of studies need none of them."""
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f"{__name__}.{MODULE_OF[name]}"), name)
    return found
