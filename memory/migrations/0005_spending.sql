CREATE TABLE spending ( -- what the responder cost
	day   TEXT PRIMARY KEY, -- local, such as 2026-11-21
	money REAL NOT NULL
) STRICT;
