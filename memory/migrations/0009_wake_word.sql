-- The wake word that somebody chose, if they did.
CREATE TABLE wake_word (
	id   INTEGER PRIMARY KEY CHECK (id = 1),
	word TEXT NOT NULL
);
