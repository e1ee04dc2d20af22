"""The MCP server: the catalog as tools, the log's records and the ERP's rows as resources."""
