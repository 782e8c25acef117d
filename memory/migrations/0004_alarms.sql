ALTER TABLE timers ADD COLUMN kind TEXT NOT NULL DEFAULT 'timer'; -- or alarm, or reminder
ALTER TABLE timers ADD COLUMN left_ms INTEGER NOT NULL DEFAULT 0; -- of one that is paused
ALTER TABLE timers ADD COLUMN repeats TEXT NOT NULL DEFAULT '';   -- RRULE of RFC 5545
ALTER TABLE timers ADD COLUMN starts_ms INTEGER NOT NULL DEFAULT 0; -- the clock on the wall, as if it were UTC
