ALTER TABLE timers ADD COLUMN does TEXT NOT NULL DEFAULT ''; -- of the kind order: the call that does it
