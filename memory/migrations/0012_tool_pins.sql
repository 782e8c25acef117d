CREATE TABLE tool_pins ( -- what servers of tools said of them when the owner agreed to it
	server TEXT NOT NULL,
	tool   TEXT NOT NULL, -- as the server calls it
	hash   TEXT NOT NULL, -- of its definition
	PRIMARY KEY (server, tool)
) WITHOUT ROWID;
