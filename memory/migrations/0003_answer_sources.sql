ALTER TABLE answers ADD COLUMN sources TEXT NOT NULL DEFAULT '[]'; -- JSON array of what the answer rests on
