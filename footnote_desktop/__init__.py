"""Footnote Desktop: no figure is generated, and every figure opens down to the rows behind it."""

__version__ = "0.1.0"
