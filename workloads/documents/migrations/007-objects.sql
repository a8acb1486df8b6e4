-- The bytes of a content may be an object of a storage (DOCUMENTS_S3_*, DOCUMENTS_AZURE_*) in place of chunks.
-- compatible from: 006
ALTER TABLE millrace.document_contents ADD COLUMN object text COLLATE "C";

-- Objects whose content is gone, until they have been removed from the storage too.
CREATE TABLE millrace.document_objects_gone (
  object text COLLATE "C" PRIMARY KEY,
  since  timestamptz NOT NULL
);
CREATE INDEX document_objects_gone_by_age ON millrace.document_objects_gone (since);
