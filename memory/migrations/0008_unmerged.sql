CREATE TABLE unmerged ( -- what was said, until the summary of a person holds it
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	at_ms  INTEGER NOT NULL,
	person TEXT    NOT NULL, -- empty: the household
	user   TEXT    NOT NULL,
	answer TEXT    NOT NULL
);
