"""The wizard that connects a database: a state machine without Qt, and the pages that draw it."""
