-- Files of reports where the queue is a server: every replica reads what any of them wrote. Chunks begin where the one before ends.
-- compatible from: 004
CREATE TABLE millrace.report_files (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL
);
CREATE INDEX report_files_by_age ON millrace.report_files (created_at, seq);

CREATE TABLE millrace.report_chunks (
  file  bigint NOT NULL REFERENCES millrace.report_files ON DELETE CASCADE,
  begin bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (file, begin)
);
-- Much of it is packed already, and pglz on the rest costs more than the disk: a range is read without its beginning.
ALTER TABLE millrace.report_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Folders that servers keep files in, each with the id that lies in it: two ids are two folders, and each server has the files of one.
CREATE TABLE millrace.report_folders (
  id      text COLLATE "C" PRIMARY KEY,
  host    text NOT NULL,
  folder  text NOT NULL,
  seen_at timestamptz NOT NULL
);
