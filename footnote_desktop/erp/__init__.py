"""The system of record, read-only: engines, mappings onto the canonical model, the sample ERP."""
