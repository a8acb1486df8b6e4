-- Whom a document is about, so that what is kept of someone can be erased.
ALTER TABLE millrace.document_files ADD COLUMN subject text COLLATE "C";
ALTER TABLE millrace.document_items ADD COLUMN subject text COLLATE "C";
CREATE INDEX document_files_by_subject ON millrace.document_files (subject) WHERE subject IS NOT NULL;
CREATE INDEX document_items_by_subject ON millrace.document_items (subject) WHERE subject IS NOT NULL;
-- A record that a document belongs to (origin: {"parents": {"AccountId": "001..."}}) is whom it is about, too.
CREATE INDEX document_files_by_origin ON millrace.document_files USING gin (origin jsonb_path_ops)
  WHERE origin IS NOT NULL;
