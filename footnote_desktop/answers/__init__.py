"""Prose with slots: routing a question, composing an answer, binding every figure in it to its evidence."""
