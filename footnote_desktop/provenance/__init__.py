"""What was claimed, on what evidence, and proof that nobody changed it since."""
