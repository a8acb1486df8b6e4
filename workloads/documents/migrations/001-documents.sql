-- What the documents workload keeps beside the queue: templates, files, the output cache, batches.
-- Everything is in the database, so that replicas share nothing else. Ids that people see are a word and the seq.

-- A row is one version, and never changes.
CREATE TABLE millrace.document_templates (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant     text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  version    integer NOT NULL,
  sha256     text NOT NULL,
  size       integer NOT NULL,
  bytes      bytea NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text,
  -- What lint says about it, as JSON, and the build of the engine that said it: after an update it is asked anew.
  lint       text,
  lint_build text,
  -- Whose it is alone. Null: everybody's of its tenant. All versions of a name have the same owner.
  owner      text COLLATE "C",
  UNIQUE (tenant, name, version)
);
-- A DOCX is compressed already.
ALTER TABLE millrace.document_templates ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Bytes without a name: several files, and the output cache, may point at the same ones.
CREATE TABLE millrace.document_contents (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  size       bigint NOT NULL,
  sha256     text NOT NULL,
  crc32      bigint NOT NULL,
  created_at timestamptz NOT NULL,
  -- Its bytes may be an object of a storage (DOCUMENTS_S3_*, DOCUMENTS_AZURE_*) in place of chunks.
  object     text COLLATE "C"
);
CREATE INDEX document_contents_by_age ON millrace.document_contents (created_at, seq);

CREATE TABLE millrace.document_chunks (
  content bigint NOT NULL REFERENCES millrace.document_contents ON DELETE CASCADE,
  number  integer NOT NULL,
  bytes   bytea NOT NULL,
  PRIMARY KEY (content, number)
);
ALTER TABLE millrace.document_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Objects whose content is gone, until they have been removed from the storage too.
CREATE TABLE millrace.document_objects_gone (
  object text COLLATE "C" PRIMARY KEY,
  since  timestamptz NOT NULL
);
CREATE INDEX document_objects_gone_by_age ON millrace.document_objects_gone (since);

CREATE TABLE millrace.document_files (
  seq            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant         text COLLATE "C" NOT NULL,
  content        bigint NOT NULL REFERENCES millrace.document_contents,
  name           text NOT NULL,
  media_type     text NOT NULL,
  template       text COLLATE "C",
  batch          bigint,
  -- Of a job that makes one document: its file and its DOCX are recorded once, however often it runs.
  job            text COLLATE "C",
  part           text COLLATE "C",
  correlation_id text COLLATE "C",
  submitter      text,
  -- What the request said about where the document belongs: parents, requestHash, generatedDocumentId.
  origin         jsonb,
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  -- Whom it is about, so that what is kept of someone can be erased.
  subject        text COLLATE "C"
);
CREATE INDEX document_files_by_tenant ON millrace.document_files (tenant, seq);
CREATE INDEX document_files_by_batch ON millrace.document_files (batch, seq) WHERE batch IS NOT NULL;
CREATE UNIQUE INDEX document_files_by_job ON millrace.document_files (job, part) WHERE job IS NOT NULL;
CREATE INDEX document_files_by_content ON millrace.document_files (content);
CREATE INDEX document_files_by_expiry ON millrace.document_files (expires_at);
CREATE INDEX document_files_by_subject ON millrace.document_files (subject) WHERE subject IS NOT NULL;
-- A record that a document belongs to (origin: {"parents": {"AccountId": "001..."}}) is whom it is about, too.
CREATE INDEX document_files_by_origin ON millrace.document_files USING gin (origin jsonb_path_ops)
  WHERE origin IS NOT NULL;

-- The same template version, data, options and engine build give the stored bytes at once.
CREATE TABLE millrace.document_outputs (
  key        text COLLATE "C" PRIMARY KEY,
  output     bigint NOT NULL REFERENCES millrace.document_contents,
  docx       bigint REFERENCES millrace.document_contents,
  expires_at timestamptz NOT NULL
);
CREATE INDEX document_outputs_by_output ON millrace.document_outputs (output);
CREATE INDEX document_outputs_by_docx ON millrace.document_outputs (docx) WHERE docx IS NOT NULL;
CREATE INDEX document_outputs_by_expiry ON millrace.document_outputs (expires_at);

-- LOADING (rows arrive) -> RUNNING -> FINISHED; CANCELED from the first two; RUNNING again by a retry, with a new run.
CREATE TABLE millrace.document_batches (
  seq            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant         text COLLATE "C" NOT NULL,
  state          text NOT NULL,
  run            integer NOT NULL DEFAULT 1,
  template       text COLLATE "C" NOT NULL,
  -- Everything of the envelope but the data.
  settings       jsonb NOT NULL,
  priority       integer,
  total          integer NOT NULL DEFAULT 0,
  job            text,
  correlation_id text,
  submitter      text,
  created_at     timestamptz NOT NULL,
  touched_at     timestamptz NOT NULL,
  finished_at    timestamptz,
  expires_at     timestamptz NOT NULL,
  -- Where its rows came from: format, columns, delimiter, encoding, blank rows.
  source         jsonb,
  -- A pipeline that lost the answer asks again with the same key, and gets the batch that it has made.
  key            text COLLATE "C"
);
CREATE UNIQUE INDEX document_batches_by_key ON millrace.document_batches (tenant, key) WHERE key IS NOT NULL;
CREATE INDEX document_batches_by_tenant ON millrace.document_batches (tenant, seq);
CREATE INDEX document_batches_by_template ON millrace.document_batches (template);
CREATE INDEX document_batches_by_expiry ON millrace.document_batches (expires_at);

-- An item is written by its own execution, which names its run and the epoch of its lease: what an older run or a
-- lower epoch writes changes nothing.
CREATE TABLE millrace.document_items (
  batch         bigint NOT NULL REFERENCES millrace.document_batches ON DELETE CASCADE,
  item          integer NOT NULL,
  line          integer NOT NULL,
  run           integer NOT NULL DEFAULT 1,
  epoch         bigint NOT NULL DEFAULT 0,
  state         text COLLATE "C" NOT NULL,
  job           text,
  -- JSON as text: jsonb has no NUL. Null for a row that could not be read.
  data          text,
  error_code    text,
  error_message text,
  output        bigint,
  docx          bigint,
  subject       text COLLATE "C",
  -- What the row held that could not be read, as JSON, so that it can be given back for correction.
  cells         text,
  -- What the document lacks, such as characters that no font has.
  warning       text,
  PRIMARY KEY (batch, item)
);
CREATE INDEX document_items_by_subject ON millrace.document_items (subject) WHERE subject IS NOT NULL;
CREATE INDEX document_items_by_state ON millrace.document_items (batch, state, item);
