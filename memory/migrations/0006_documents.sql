CREATE TABLE documents (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	path        TEXT    NOT NULL UNIQUE, -- below the folder of the knowledge base
	size        INTEGER NOT NULL,
	modified_ms INTEGER NOT NULL,
	problem     TEXT    NOT NULL -- why it cannot be read; empty: it was
);

CREATE TABLE passages (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	document INTEGER NOT NULL,
	name     TEXT    NOT NULL, -- of the document, as words
	section  TEXT    NOT NULL,
	text     TEXT    NOT NULL
);
CREATE INDEX passages_document ON passages (document);

CREATE VIRTUAL TABLE passages_text USING fts5(
	name, section, text, content = 'passages', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO passages_text (passages_text, rank) VALUES ('secure-delete', 1);
-- A word in the name of a document or of a section tells more than one in its text.
INSERT INTO passages_text (passages_text, rank) VALUES ('rank', 'bm25(2.0, 3.0, 1.0)');

CREATE TRIGGER passages_added AFTER INSERT ON passages BEGIN
	INSERT INTO passages_text (rowid, name, section, text) VALUES (new.id, new.name, new.section, new.text);
END;
CREATE TRIGGER passages_removed AFTER DELETE ON passages BEGIN
	INSERT INTO passages_text (passages_text, rowid, name, section, text) VALUES ('delete', old.id, old.name, old.section, old.text);
	DELETE FROM passage_vectors WHERE passage = old.id;
END;

CREATE TABLE passage_vectors (
	passage INTEGER PRIMARY KEY,
	model   TEXT NOT NULL, -- the embedding model
	value   BLOB NOT NULL  -- int8 per dimension, as sqlite-vec reads it
);
