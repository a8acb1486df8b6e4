-- Whose a template is alone. Null: everybody's of its tenant. All versions of a name have the same owner.
-- compatible from: 008
ALTER TABLE millrace.document_templates ADD COLUMN owner text COLLATE "C";
