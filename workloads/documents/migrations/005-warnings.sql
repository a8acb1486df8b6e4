-- What a document that was made lacks, such as characters that no font has.
ALTER TABLE millrace.document_items ADD COLUMN warning text;
