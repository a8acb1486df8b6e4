-- What lint says about a version, as JSON, and the build of the engine that said it. It is made at the upload; versions of
-- before get theirs when first asked for, and so do all after an update of the engine.
ALTER TABLE millrace.document_templates ADD COLUMN lint text;
ALTER TABLE millrace.document_templates ADD COLUMN lint_build text;
