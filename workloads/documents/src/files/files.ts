import type { Database, Param, Session, Statement } from '@millrace/store-postgres';
import {
  type ByteRange,
  type Page,
  type PageParams,
  numberCursor,
  page,
  pageLimit,
} from '@millrace/workload-kit';
import {
  type Content,
  type ContentStore,
  checkRange,
  putContent,
  readContent,
} from './contents.ts';
import { removeObjects } from './gone.ts';
import { type Whose, ofTenants } from '../belongings.ts';
import { DocumentError, storing } from '../errors.ts';
import { type Forgotten, forgetContents } from './forget.ts';
import { idOf, seqOf } from '../ids.ts';
import { mediaTypeOf, safeName } from '../one/names.ts';

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly sha256: string;
  readonly templateId: string | null;
  readonly batchId: string | null;
  readonly correlationId: string | null;
  readonly submitter: string | null;
  readonly origin: unknown;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What a file says about itself beside its bytes. */
export interface FileFacts {
  readonly name: string;
  readonly tenant?: string | undefined;
  readonly templateId?: string | undefined;
  readonly batchId?: string | undefined;
  /** Whose file it is, and which of its files: recorded again, it is the one that is there. */
  readonly of?: { readonly job: string; readonly part: string } | undefined;
  readonly correlationId?: string | undefined;
  readonly submitter?: string | undefined;
  /** Whom it is about: erased with everything else about them. */
  readonly subject?: string | undefined;
  readonly origin?: unknown;
  /** From now, by the database's clock. */
  readonly keepMs?: number | undefined;
}

export interface Files {
  put(
    source: Uint8Array | AsyncIterable<Uint8Array>,
    facts: FileFacts & { maxBytes?: number | undefined },
  ): Promise<StoredFile>;
  /** A name for bytes that are there, in the caller's transaction. */
  record(session: Session, content: number, facts: FileFacts): Promise<StoredFile>;
  get(id: string, tenant?: string): Promise<StoredFile>;
  read(
    id: string,
    options?: { range?: ByteRange | undefined; tenant?: string | undefined },
  ): Promise<{ file: StoredFile; range: ByteRange; bytes: AsyncIterable<Uint8Array> }>;
  /** Newest first. */
  list(
    params?: PageParams &
      Whose & {
        templateId?: string | undefined;
        batchId?: string | undefined;
        correlationId?: string | undefined;
      },
  ): Promise<Page<StoredFile>>;
  /** Its bytes too, unless another file has the same ones. */
  remove(id: string, tenant?: string): Promise<void>;
}

type FileRow = {
  seq: number;
  content: number;
  name: string;
  media_type: string;
  size: number;
  sha256: string;
  template: string | null;
  batch: number | null;
  correlation_id: string | null;
  submitter: string | null;
  origin: unknown;
  created_at: number;
  expires_at: number;
};

const FACTS = `f.seq, f.content, f.name, f.media_type, c.size, c.sha256, f.template, f.batch, f.correlation_id, f.submitter,
       f.origin, date_part('epoch', f.created_at) * 1000 AS created_at, date_part('epoch', f.expires_at) * 1000 AS expires_at`;
const CONTENT = `CROSS JOIN LATERAL (SELECT size, sha256 FROM millrace.document_contents WHERE seq = f.content OFFSET 0) c`;

// $1 tenant $2 content $3 name $4 media type $5 template $6 batch $7 correlation id $8 submitter $9 origin $10 keep, ms
// $11 job $12 part $13 subject. An update that changes nothing, since only what is written is returned.
const RECORD: Statement = {
  name: 'documents_record_file',
  text: `
WITH f AS (
  INSERT INTO millrace.document_files AS old (tenant, content, name, media_type, template, batch, correlation_id,
                                              submitter, origin, created_at, expires_at, job, part,
                                              subject)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::jsonb, millrace.clock(),
          millrace.clock() + $10::float8 * interval '1 millisecond', $11, $12, $13)
  ON CONFLICT (job, part) WHERE job IS NOT NULL DO UPDATE SET name = old.name
  RETURNING *
)
SELECT ${FACTS} FROM f ${CONTENT}`,
};

// What has expired is gone for readers at once, before the sweep comes. $1 tenant $2 seq
const GET: Statement = {
  name: 'documents_file',
  text: `
SELECT ${FACTS} FROM millrace.document_files f ${CONTENT}
 WHERE f.seq = $2 AND f.tenant = $1 AND f.expires_at > millrace.clock()`,
};

// $1 tenant $2 seq
const FORGET: Statement = {
  name: 'documents_remove_file',
  text: `DELETE FROM millrace.document_files WHERE seq = $2 AND tenant = $1 RETURNING content, batch`,
};

export const DEFAULT_KEEP_MS = 7 * 86_400_000;

export function createFiles({
  keepMs: usually = DEFAULT_KEEP_MS,
  ...store
}: ContentStore & { readonly keepMs?: number | undefined }): Files {
  const { database } = store;

  async function find(id: string, tenant: string): Promise<FileRow> {
    const seq = seqOf('file', id);
    const [row] = seq === null ? [] : await database.query<FileRow>(GET, [tenant, seq]);
    if (row === undefined)
      throw new DocumentError('file_not_found', `There is no file "${id}", or it has expired.`);
    return row;
  }

  async function record(session: Session, content: number, facts: FileFacts): Promise<StoredFile> {
    const name = safeName(facts.name);
    const [row] = await session.query<FileRow>(RECORD, [
      facts.tenant ?? '',
      content,
      name,
      mediaTypeOf(name),
      facts.templateId ?? null,
      facts.batchId === undefined ? null : seqOf('batch', facts.batchId),
      facts.correlationId ?? null,
      facts.submitter ?? null,
      facts.origin === undefined ? null : JSON.stringify(facts.origin),
      facts.keepMs ?? usually,
      facts.of?.job ?? null,
      facts.of?.part ?? null,
      facts.subject ?? null,
    ]);
    if (row === undefined) throw new Error('The database made no file and gave no reason.');
    return fileOf(row);
  }

  return {
    record,
    async put(source, { maxBytes, ...facts }) {
      try {
        const content = await putContent(store, source, maxBytes);
        return await record(database, content.seq, facts);
      } catch (error) {
        throw storing(error);
      }
    },
    get: async (id, tenant = '') => fileOf(await find(id, tenant)),
    async read(id, { range: asked, tenant = '' } = {}) {
      const row = await find(id, tenant);
      const range = checkRange(asked, row.size);
      const content: Pick<Content, 'seq' | 'size'> = { seq: row.content, size: row.size };
      return { file: fileOf(row), range, bytes: readContent(store, content, range) };
    },
    list: (params = {}) => listFiles(database, params),
    async remove(id, tenant = '') {
      const seq = seqOf('file', id);
      const found = await database.transaction(async (session) => {
        const rows = seq === null ? [] : await session.query<Forgotten>(FORGET, [tenant, seq]);
        await forgetContents(session, rows);
        return rows.length > 0;
      });
      if (!found) throw new DocumentError('file_not_found', `There is no file "${id}".`);
      await removeObjects(store).catch(() => {}); // the sweep does it later
    },
  };
}

async function listFiles(
  database: Database,
  params: NonNullable<Parameters<Files['list']>[0]>,
): Promise<Page<StoredFile>> {
  const { tenants = [''], submitter, templateId, batchId, correlationId } = params;
  const limit = pageLimit(params);
  const values: Param[] = [numberCursor(params, Number.MAX_SAFE_INTEGER)];
  const where = ['f.seq < $1', 'f.expires_at > millrace.clock()'];
  if (tenants !== 'all') where.push(`f.tenant = ${ofTenants(tenants, values)}`);
  const wanted: [column: string, value: Param | undefined][] = [
    ['template', templateId],
    ['batch', batchId === undefined ? undefined : (seqOf('batch', batchId) ?? 0)],
    ['correlation_id', correlationId],
    ['submitter', submitter],
  ];
  for (const [column, value] of wanted) {
    if (value === undefined) continue;
    values.push(value);
    where.push(`f.${column} = $${values.length}`);
  }
  values.push(limit + 1);
  const text = `
SELECT ${FACTS} FROM (
  SELECT * FROM millrace.document_files f WHERE ${where.join(' AND ')} ORDER BY f.seq DESC LIMIT $${values.length}) f ${CONTENT}
 ORDER BY f.seq DESC`;
  const rows = await database.query<FileRow>({ name: '', text }, values);
  return page(rows.map(fileOf), limit, ({ id }) => String(seqOf('file', id)));
}

function fileOf(row: FileRow): StoredFile {
  return {
    id: idOf('file', row.seq),
    name: row.name,
    mediaType: row.media_type,
    size: row.size,
    sha256: row.sha256,
    templateId: row.template,
    batchId: row.batch === null ? null : idOf('batch', row.batch),
    correlationId: row.correlation_id,
    submitter: row.submitter,
    origin: row.origin,
    createdAt: Math.round(row.created_at),
    expiresAt: Math.round(row.expires_at),
  };
}
