-- The end for which it rang until it gave up; 0: there is none of which nobody was told. mute: the speaker was not there.
ALTER TABLE timers ADD COLUMN unheard_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE timers ADD COLUMN mute INTEGER NOT NULL DEFAULT 0;
