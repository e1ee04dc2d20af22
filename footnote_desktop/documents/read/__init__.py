"""Readers, one per format. Each gives :class:`footnote_desktop.documents.model.Extracted` or raises :class:`UnreadableError`."""
