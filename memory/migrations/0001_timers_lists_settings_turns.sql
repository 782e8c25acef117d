CREATE TABLE timers (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	label     TEXT    NOT NULL,
	length_ms INTEGER NOT NULL,
	ends_ms   INTEGER NOT NULL -- wall clock, milliseconds since 1970
);

CREATE TABLE items (
	id   INTEGER PRIMARY KEY AUTOINCREMENT,
	list TEXT NOT NULL,
	name TEXT NOT NULL,
	fold TEXT NOT NULL, -- name in lower case with single spaces
	UNIQUE (list, fold)
);

CREATE TABLE settings (
	key   TEXT PRIMARY KEY,
	value INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE turns (
	id         INTEGER PRIMARY KEY,
	session    INTEGER NOT NULL,
	at_ms      INTEGER NOT NULL,
	route      TEXT    NOT NULL,
	transcript TEXT    NOT NULL,
	answer     TEXT    NOT NULL,
	stages     TEXT    NOT NULL -- JSON object of milliseconds
);
