-- The sample ERP: one portable schema for SQLite and PostgreSQL.
-- Amounts are whole minor units of the row's currency. Dates are ISO 8601 text, as many small systems keep them:
-- the mapping must cope with a malformed one, and with a database that uses DATE columns instead.
CREATE TABLE customers (
  id            INTEGER PRIMARY KEY,
  name          TEXT   NOT NULL,
  country       TEXT,
  segment       TEXT,
  payment_terms INTEGER,
  owner         TEXT
);

CREATE TABLE invoices (
  id           INTEGER PRIMARY KEY,
  number       TEXT   NOT NULL,
  customer_id  INTEGER NOT NULL REFERENCES customers(id),
  issued_on    TEXT,
  due_on       TEXT,
  currency     TEXT   NOT NULL,
  amount_cents BIGINT NOT NULL,
  paid_cents   BIGINT NOT NULL DEFAULT 0,
  status       TEXT   NOT NULL
);

CREATE TABLE payments (
  id           INTEGER PRIMARY KEY,
  invoice_id   INTEGER NOT NULL REFERENCES invoices(id),
  received_on  TEXT,
  amount_cents BIGINT NOT NULL,
  method       TEXT
);

CREATE TABLE tickets (
  id          INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers(id),
  opened_on   TEXT,
  closed_on   TEXT,
  severity    TEXT,
  subject     TEXT
);

CREATE INDEX invoices_customer ON invoices(customer_id);
CREATE INDEX invoices_number ON invoices(number);
CREATE INDEX payments_invoice ON payments(invoice_id);
CREATE INDEX tickets_customer ON tickets(customer_id);
