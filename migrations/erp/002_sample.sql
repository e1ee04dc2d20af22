-- The first sample set: the figures are published, so that answers can be compared (as of 2026-08-14).

INSERT INTO customers (id, name, country, segment, payment_terms, owner) VALUES
  (4471, 'Bergmann Logistik GmbH', 'DE', 'enterprise', 30, 'Ana Kovač'),
  (4472, 'Nordwind Marine AS', 'NO', 'mid-market', 45, 'Ana Kovač'),
  (4473, 'Petrov Components d.o.o.', 'RS', 'mid-market', 30, 'Marko Ilić'),
  (4474, 'Lumière Packaging SARL', 'FR', 'enterprise', 60, 'Marko Ilić'),
  (4475, 'Adriatic Foods d.d.', 'HR', 'small', 14, 'Ana Kovač');

INSERT INTO invoices (id, number, customer_id, issued_on, due_on, currency, amount_cents, paid_cents, status) VALUES
  (8790, 'INV-2026-8790', 4474, '2026-03-20', '2026-05-19', 'EUR', 4150000, 4150000, 'paid'),
  (8812, 'INV-2026-8812', 4471, '2026-04-02', '2026-05-02', 'EUR', 1845000, 0, 'open'),
  (8834, 'INV-2026-8834', 4471, '2026-04-18', '2026-05-18', 'EUR', 962500, 0, 'open'),
  (8850, 'INV-2026-8850', 4472, '2026-04-22', '2026-06-06', 'EUR', 2310000, 0, 'open'),
  (8899, 'INV-2026-8899', 4473, '2026-05-04', '2026-06-03', 'EUR', 318700, 0, 'open'),
  (8901, 'INV-2026-8901', 4471, '2026-05-06', '2026-06-05', 'EUR', 1240000, 400000, 'open'),
  (8977, 'INV-2026-8977', 4471, '2026-05-29', '2026-06-28', 'EUR', 733000, 0, 'open'),
  (9002, 'INV-2026-9002', 4471, '2026-06-11', '2026-07-11', 'EUR', 512400, 512400, 'paid'),
  (9010, 'INV-2026-9010', 4472, '2026-06-15', '2026-07-30', 'EUR', 845000, 845000, 'paid'),
  (9033, 'INV-2026-9033', 4475, '2026-06-26', '2026-07-10', 'EUR', 96400, 0, 'open'),
  (9044, 'INV-2026-9044', 4473, '2026-07-01', '2026-07-31', 'EUR', 426000, 226000, 'open'),
  (9061, 'INV-2026-9061', 4474, '2026-07-09', '2026-09-07', 'EUR', 2780000, 0, 'open'),
  (9088, 'INV-2026-9088', 4471, '2026-07-30', '2026-08-29', 'EUR', 1100000, 0, 'open'),
  (9091, 'INV-2026-9091', 4475, '2026-08-01', '2026-08-15', 'EUR', 141200, 0, 'open');

INSERT INTO payments (id, invoice_id, received_on, amount_cents, method) VALUES
  (1, 8901, '2026-06-20', 400000, 'bank_transfer'),
  (2, 9002, '2026-07-08', 512400, 'bank_transfer'),
  (3, 9010, '2026-07-24', 845000, 'bank_transfer'),
  (4, 8790, '2026-05-14', 4150000, 'bank_transfer'),
  (5, 9044, '2026-07-28', 226000, 'card');

INSERT INTO tickets (id, customer_id, opened_on, closed_on, severity, subject) VALUES
  (551, 4471, '2026-06-02', NULL, 'high', 'Delivery note mismatch on INV-2026-8812'),
  (552, 4471, '2026-06-27', NULL, 'medium', 'Requesting revised payment schedule'),
  (553, 4471, '2026-07-15', '2026-07-19', 'low', 'Portal login for new AP contact'),
  (554, 4473, '2026-07-02', '2026-07-09', 'medium', 'Duplicate invoice received'),
  (555, 4475, '2026-08-03', NULL, 'high', 'Disputes freight surcharge');
