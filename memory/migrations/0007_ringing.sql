ALTER TABLE timers ADD COLUMN rang_ms INTEGER NOT NULL DEFAULT 0; -- the end that it rings for now; 0: it does not ring
ALTER TABLE timers ADD COLUMN boot INTEGER NOT NULL DEFAULT 0; -- which boot due_us is of; 0: it is not known
ALTER TABLE timers ADD COLUMN due_us INTEGER NOT NULL DEFAULT 0; -- microseconds since that boot
