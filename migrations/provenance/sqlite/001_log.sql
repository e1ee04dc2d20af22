-- The provenance log on SQLite. footnote_desktop/provenance/FORMAT.md says what the columns mean.
-- Runs inside one transaction. The triggers are guard rails against mistakes; the proof is in the hashes.

CREATE TABLE record (
  seq   INTEGER PRIMARY KEY,                        -- from 1, without gaps
  id    TEXT NOT NULL UNIQUE,
  hash  BLOB NOT NULL CHECK (length(hash) = 32),    -- SHA-256 of the canonical bytes
  canon BLOB NOT NULL,                              -- the canonical bytes, without what `cuts` names
  cuts  TEXT                                        -- JSON [[offset, "sha256 of a part"], …], or null
) STRICT;

-- Large values of records (canonical bytes of `answer`, `claims`, `evidence` or `operations`), each stored once.
CREATE TABLE part (
  hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
  data BLOB NOT NULL                                -- zlib
) STRICT;

-- Rows behind figures, beyond those that stand in the record; named by evidence entries of type `rowset`.
CREATE TABLE attachment (
  hash BLOB NOT NULL PRIMARY KEY CHECK (length(hash) = 32),
  size INTEGER NOT NULL,                            -- bytes before compression
  data BLOB NOT NULL                                -- zlib
) STRICT;

-- What `records --search` looks through: folded text. Never hashed, never proof; it can be rebuilt from the records.
CREATE TABLE search (
  seq  INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;

CREATE TRIGGER record_insert BEFORE INSERT ON record BEGIN
  SELECT RAISE(ABORT, 'append-only: the sequence has no gaps and repeats nothing')
    WHERE NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM record);
  SELECT RAISE(ABORT, 'append-only: this id is taken')
    WHERE EXISTS (SELECT 1 FROM record WHERE id = NEW.id);
END;
CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'append-only'); END;

CREATE TRIGGER part_insert BEFORE INSERT ON part BEGIN
  SELECT RAISE(ABORT, 'append-only: this part is stored already')
    WHERE EXISTS (SELECT 1 FROM part WHERE hash = NEW.hash);
END;
CREATE TRIGGER part_update BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER part_delete BEFORE DELETE ON part BEGIN SELECT RAISE(ABORT, 'append-only'); END;

CREATE TRIGGER attachment_insert BEFORE INSERT ON attachment BEGIN
  SELECT RAISE(ABORT, 'append-only: this attachment is stored already')
    WHERE EXISTS (SELECT 1 FROM attachment WHERE hash = NEW.hash);
END;
CREATE TRIGGER attachment_update BEFORE UPDATE ON attachment BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER attachment_delete BEFORE DELETE ON attachment BEGIN SELECT RAISE(ABORT, 'append-only'); END;
