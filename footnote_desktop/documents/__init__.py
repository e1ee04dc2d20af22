"""Verbatim verification of statements against a folder of documents. No model, no vectors, no network."""
