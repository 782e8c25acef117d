CREATE TABLE notes (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	person     TEXT    NOT NULL, -- empty: the household
	text       TEXT    NOT NULL,
	fold       TEXT    NOT NULL, -- text in lower case with single spaces
	source     TEXT    NOT NULL,
	created_ms INTEGER NOT NULL,
	used_ms    INTEGER NOT NULL DEFAULT 0, -- 0: never
	uses       INTEGER NOT NULL DEFAULT 0,
	UNIQUE (person, fold)
);

CREATE VIRTUAL TABLE notes_text USING fts5(
	text, content = 'notes', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
-- What is forgotten leaves the index at once, and not when segments are merged.
INSERT INTO notes_text (notes_text, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER notes_added AFTER INSERT ON notes BEGIN
	INSERT INTO notes_text (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER notes_removed AFTER DELETE ON notes BEGIN
	INSERT INTO notes_text (notes_text, rowid, text) VALUES ('delete', old.id, old.text);
	DELETE FROM vectors WHERE note = old.id;
END;

CREATE TABLE vectors (
	note  INTEGER PRIMARY KEY,
	model TEXT NOT NULL, -- the embedding model
	value BLOB NOT NULL  -- int8 per dimension, as sqlite-vec reads it
);

CREATE TABLE facts (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	person     TEXT    NOT NULL, -- empty: the household
	category   TEXT    NOT NULL, -- personal, preference, knowledge or general
	name       TEXT    NOT NULL, -- what the fact is about, in lower case
	text       TEXT    NOT NULL,
	mutable    INTEGER NOT NULL,
	updated_ms INTEGER NOT NULL,
	UNIQUE (person, name)
);

CREATE TABLE people (
	name           TEXT PRIMARY KEY, -- empty: the household
	profile        TEXT    NOT NULL, -- JSON
	summary        TEXT    NOT NULL,
	topics         TEXT    NOT NULL, -- JSON array, the newest first
	last_active_ms INTEGER NOT NULL,
	sessions       INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE answers (
	key        TEXT PRIMARY KEY,
	thinker    TEXT    NOT NULL,
	answer     TEXT    NOT NULL,
	made_ms    INTEGER NOT NULL,
	expires_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX answers_expires ON answers (expires_ms);
