import type { LintReport } from '@millrace/docx';
import type { Param, Session, Statement } from '@millrace/store-postgres';
import { ofTenants } from '../belongings.ts';
import { idOf } from '../ids.ts';

/** The statements on `document_templates`. Bytes travel as base64: drivers send texts and numbers alike. */

export interface TemplateInfo {
  /** `tpl-7`: this version, for ever. */
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly sha256: string;
  readonly size: number;
  readonly createdAt: number;
  readonly createdBy: string | null;
  /** Whose it is alone; null: everybody's of its tenant. */
  readonly owner: string | null;
}

type TemplateRow = {
  seq: number;
  name: string;
  version: number;
  sha256: string;
  size: number;
  created_at: number;
  created_by: string | null;
  owner: string | null;
};

const COLUMNS = `seq, name, version, sha256, size, date_part('epoch', created_at) * 1000 AS created_at, created_by, owner`;

function infoOf(row: TemplateRow): TemplateInfo {
  return {
    id: idOf('tpl', row.seq),
    name: row.name,
    version: row.version,
    sha256: row.sha256,
    size: row.size,
    createdAt: Math.round(row.created_at),
    createdBy: row.created_by,
    owner: row.owner,
  };
}

// $1 tenant and name, as one text
const LOCK: Statement = {
  name: 'documents_lock_template',
  text: `SELECT pg_advisory_xact_lock(hashtext('millrace.documents.template'), hashtext($1))`,
};

// $1 tenant $2 name
const NEWEST: Statement = {
  name: 'documents_newest_template',
  text: `SELECT ${COLUMNS} FROM millrace.document_templates WHERE tenant = $1 AND name = $2 ORDER BY version DESC LIMIT 1`,
};

// $1 tenant $2 name $3 version $4 sha256 $5 size $6 bytes $7 created by $8 lint $9 lint build
// $10 owner
const INSERT: Statement = {
  name: 'documents_add_template',
  text: `
INSERT INTO millrace.document_templates (tenant, name, version, sha256, size, bytes, created_at, created_by,
                                         lint, lint_build, owner)
VALUES ($1, $2, $3, $4, $5, decode($6, 'base64'), millrace.clock(), $7, $8, $9, $10)
RETURNING ${COLUMNS}`,
};

// $1 tenant $2 seq
const BY_SEQ: Statement = {
  name: 'documents_template',
  text: `SELECT ${COLUMNS} FROM millrace.document_templates WHERE seq = $2 AND tenant = $1`,
};

// $1 tenant $2 seq
const BYTES: Statement = {
  name: 'documents_template_bytes',
  text: `
SELECT ${COLUMNS}, encode(bytes, 'base64') AS bytes
  FROM millrace.document_templates WHERE seq = $2 AND tenant = $1`,
};

// $1 tenant $2 seq $3 build
const REPORT: Statement = {
  name: 'documents_template_report',
  text: `
SELECT CASE WHEN lint_build = $3 THEN lint END AS lint
  FROM millrace.document_templates WHERE seq = $2 AND tenant = $1`,
};

// $1 tenant $2 seq $3 build $4 lint
const KEEP_REPORT: Statement = {
  name: 'documents_keep_template_report',
  text: `UPDATE millrace.document_templates SET lint = $4, lint_build = $3 WHERE seq = $2 AND tenant = $1`,
};

// $1 tenant $2 name $3 below this version $4 limit
const VERSIONS: Statement = {
  name: 'documents_template_versions',
  text: `
SELECT ${COLUMNS} FROM millrace.document_templates
 WHERE tenant = $1 AND name = $2 AND version < $3 ORDER BY version DESC LIMIT $4`,
};

// $1 tenant $2 name $3 seq, or null for every version
const REMOVE: Statement = {
  name: 'documents_remove_template',
  text: `
DELETE FROM millrace.document_templates
 WHERE tenant = $1 AND name = $2 AND ($3::bigint IS NULL OR seq = $3::bigint) RETURNING seq`,
};

// Batches that are not over, and jobs that wait or run and name the template in their payload. Read once per removal:
// a backlog of 100,000 jobs takes a second. $1 tenant $2 ids[] (and the name)
const IN_USE: Statement = {
  name: 'documents_template_in_use',
  text: `
SELECT (SELECT count(*)::int FROM millrace.document_batches
         WHERE tenant = $1 AND template = ANY ($2::text::text[]) AND state IN ('LOADING', 'RUNNING')) AS batches,
       (SELECT count(*)::int FROM (
          SELECT seq FROM millrace.ready WHERE kind = 'document' AND tenant = $1
          UNION ALL SELECT seq FROM millrace.scheduled WHERE kind = 'document' AND tenant = $1
          UNION ALL SELECT seq FROM millrace.running WHERE kind = 'document' AND tenant = $1) live
          CROSS JOIN LATERAL (SELECT payload FROM millrace.jobs WHERE seq = live.seq OFFSET 0) j
         WHERE j.payload->>'templateId' = ANY ($2::text::text[])) AS jobs`,
};

export const templateRows = {
  async lock(session: Session, tenant: string, name: string): Promise<void> {
    await session.query(LOCK, [JSON.stringify([tenant, name])]);
  },
  async newest(session: Session, tenant: string, name: string): Promise<TemplateInfo | null> {
    const [row] = await session.query<TemplateRow>(NEWEST, [tenant, name]);
    return row === undefined ? null : infoOf(row);
  },
  async bySeq(session: Session, tenant: string, seq: number): Promise<TemplateInfo | null> {
    const [row] = await session.query<TemplateRow>(BY_SEQ, [tenant, seq]);
    return row === undefined ? null : infoOf(row);
  },
  async withBytes(
    session: Session,
    tenant: string,
    seq: number,
  ): Promise<{ info: TemplateInfo; bytes: Uint8Array } | null> {
    const [row] = await session.query<TemplateRow & { bytes: string }>(BYTES, [tenant, seq]);
    return row === undefined
      ? null
      : { info: infoOf(row), bytes: Buffer.from(row.bytes, 'base64') };
  },
  async insert(
    session: Session,
    row: {
      tenant: string;
      name: string;
      version: number;
      sha256: string;
      bytes: Uint8Array;
      by: string | null;
      lint: LintReport;
      build: string;
      owner: string | null;
    },
  ): Promise<TemplateInfo> {
    const [made] = await session.query<TemplateRow>(INSERT, [
      row.tenant,
      row.name,
      row.version,
      row.sha256,
      row.bytes.length,
      Buffer.from(row.bytes).toString('base64'),
      row.by,
      JSON.stringify(row.lint),
      row.build,
      row.owner,
    ]);
    if (made === undefined) throw new Error('The database made no template and gave no reason.');
    return infoOf(made);
  },
  /** As this build of the engine made it: null where none did. */
  async report(
    session: Session,
    tenant: string,
    seq: number,
    build: string,
  ): Promise<LintReport | null> {
    const [row] = await session.query<{ lint: string | null }>(REPORT, [tenant, seq, build]);
    return typeof row?.lint === 'string' ? (JSON.parse(row.lint) as LintReport) : null;
  },
  async keepReport(
    session: Session,
    { tenant, seq, build, lint }: { tenant: string; seq: number; build: string; lint: LintReport },
  ): Promise<void> {
    await session.query(KEEP_REPORT, [tenant, seq, build, JSON.stringify(lint)]);
  },
  async versions(
    session: Session,
    tenant: string,
    name: string,
    below: number,
    limit: number,
  ): Promise<TemplateInfo[]> {
    const rows = await session.query<TemplateRow>(VERSIONS, [tenant, name, below, limit]);
    return rows.map(infoOf);
  },
  /** The newest version of each, by name and then by tenant. With `owner` only theirs and everybody's. */
  async list(
    session: Session,
    { tenants, owner }: { tenants: readonly string[] | 'all'; owner: string | null },
    [name, tenant]: readonly [name: string, tenant: string],
    limit: number,
  ): Promise<{ info: TemplateInfo; tenant: string }[]> {
    const values: Param[] = [name, tenant, limit];
    const where = ['name >= $1::text', '(name, tenant) > ($1::text, $2::text)'];
    if (tenants !== 'all') where.push(`tenant = ${ofTenants(tenants, values)}`);
    if (owner !== null) where.push(`(owner IS NULL OR owner = $${values.push(owner)})`);
    const text = `
SELECT DISTINCT ON (name, tenant) ${COLUMNS}, tenant FROM millrace.document_templates
 WHERE ${where.join(' AND ')} ORDER BY name, tenant, version DESC LIMIT $3`;
    const rows = await session.query<TemplateRow & { tenant: string }>({ name: '', text }, values);
    return rows.map((row) => ({ info: infoOf(row), tenant: row.tenant }));
  },
  async remove(
    session: Session,
    tenant: string,
    name: string,
    seq: number | null,
  ): Promise<string[]> {
    const rows = await session.query<{ seq: number }>(REMOVE, [tenant, name, seq]);
    return rows.map((row) => idOf('tpl', row.seq));
  },
  async inUse(
    session: Session,
    tenant: string,
    ids: string,
  ): Promise<{ batches: number; jobs: number }> {
    const [row] = await session.query<{ batches: number; jobs: number }>(IN_USE, [tenant, ids]);
    return row ?? { batches: 0, jobs: 0 };
  },
};
