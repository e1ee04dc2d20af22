# ruff: noqa: E501 (patterns and tables of words read better unbroken)
"""Readers, one per format. Each gives :class:`footnote_desktop.documents.model.Extracted` or raises :class:`UnreadableError`."""
