-- Where the rows of a batch came from: format, columns, delimiter, encoding, blank rows. Null for older batches.
ALTER TABLE millrace.document_batches ADD COLUMN source jsonb;
-- What a row held that could not be read, as JSON, so that it can be given back for correction.
ALTER TABLE millrace.document_items ADD COLUMN cells text;
