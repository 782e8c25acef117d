CREATE TABLE voice_prints ( -- how people sound
	id     INTEGER PRIMARY KEY,
	person TEXT NOT NULL,
	model  TEXT NOT NULL, -- that made it
	value  BLOB NOT NULL  -- numbers of 32 bits, little endian
);
-- Whom a reminder is for; empty: the household.
ALTER TABLE timers ADD COLUMN person TEXT NOT NULL DEFAULT '';
