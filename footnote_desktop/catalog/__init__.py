"""The model's whole callable surface: typed operations over the canonical model."""
