-- A pipeline that lost the answer asks again with the same key, and gets the batch that it has made.
ALTER TABLE millrace.document_batches ADD COLUMN key text COLLATE "C";
CREATE UNIQUE INDEX document_batches_by_key ON millrace.document_batches (tenant, key) WHERE key IS NOT NULL;
