CREATE TABLE tracks ( -- the music of the household, as the tags of its files tell it
	id          INTEGER PRIMARY KEY,
	dir         TEXT    NOT NULL, -- below the folder of music
	file        TEXT    NOT NULL,
	size        INTEGER NOT NULL,
	modified_ms INTEGER NOT NULL,
	title       TEXT    NOT NULL,
	artist      TEXT    NOT NULL,
	album       TEXT    NOT NULL,
	genre       TEXT    NOT NULL,
	disc        INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	UNIQUE (dir, file)
);
CREATE INDEX tracks_title ON tracks (title);
CREATE INDEX tracks_artist ON tracks (artist);
CREATE INDEX tracks_album ON tracks (album);
CREATE INDEX tracks_genre ON tracks (genre);

CREATE TABLE track_names ( -- what is called so: title, artist, album or genre
	id    INTEGER PRIMARY KEY,
	kind  TEXT NOT NULL,
	name  TEXT NOT NULL,
	sound TEXT NOT NULL, -- of the whole name, without spaces
	UNIQUE (kind, name)
);
CREATE INDEX track_names_sound ON track_names (sound);

CREATE TABLE track_words (
	sound TEXT    NOT NULL, -- of one of its words
	name  INTEGER NOT NULL,
	PRIMARY KEY (sound, name)
) WITHOUT ROWID;

CREATE TABLE queues ( -- what was played, and how far
	name    TEXT PRIMARY KEY, -- of a podcast; empty: what was played last, whatever it is
	items   TEXT    NOT NULL, -- JSON
	place   INTEGER NOT NULL, -- in items
	from_ms INTEGER NOT NULL, -- place in that item
	used_ms INTEGER NOT NULL
);

CREATE TABLE favourites (
	item     TEXT PRIMARY KEY, -- JSON
	added_ms INTEGER NOT NULL
);
