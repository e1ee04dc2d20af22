"""The Qt application; the only folder that imports PySide6."""
