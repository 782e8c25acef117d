-- Up to here conversations were reflected on and summarised that held text from outside the
-- house, so that any of these notes may be a stranger's. They are kept for their owner to look
-- at, and no model is given them. Notes that somebody told, and facts, stay as they are.
UPDATE notes SET source = 'set aside' WHERE source = 'reflection';
INSERT INTO notes (person, text, fold, source, created_ms)
	SELECT name, summary, lower(summary), 'set aside', last_active_ms FROM people WHERE summary != ''
	ON CONFLICT DO NOTHING;
UPDATE people SET summary = '', topics = '[]';
DELETE FROM unmerged;
DELETE FROM answers;
