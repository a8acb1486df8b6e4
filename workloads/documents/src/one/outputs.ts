import type { Database, Statement } from '@millrace/store-postgres';
import { canonicalJson, sha256 } from './canonical.ts';
import type { Content } from '../files/contents.ts';
import type { OutputFormat, PdfOptions } from '../contract/envelope.ts';

/** What decides about the bytes of a document, and for whom they were made; not its name. */
export interface OutputFacts {
  readonly tenant: string;
  /**
   * What somebody has made answers nobody else: `cached`, and how soon the answer comes, would tell a member that a colleague
   * has made a document of just these data, and data can be guessed (docs/decisions/0018-tenants.md).
   */
  readonly submitter: string | null;
  /** The version's own hash: the same template uploaded twice gives the same documents. */
  readonly template: string;
  readonly data: unknown;
  readonly outputFormat: OutputFormat;
  readonly locale: string;
  readonly timezone: string;
  readonly storeMergedDocx: boolean;
  /**
   * Part of the key: a document that lacks fields was let pass without `strict`, and must not answer a request with
   * it.
   */
  readonly strict: boolean;
  readonly dataLocale?: string | undefined;
  readonly pdf: PdfOptions | undefined;
  /** The hash of each fetched image, by address: what is behind an address may change. */
  readonly images: Readonly<Record<string, string>>;
  /** Of what merges and converts: another build may write other bytes. */
  readonly build: string;
}

export interface CachedOutput {
  readonly output: Pick<Content, 'seq' | 'size'>;
  readonly docx: Pick<Content, 'seq' | 'size'> | null;
}

export interface Outputs {
  find(key: string): Promise<CachedOutput | null>;
  keep(key: string, output: number, docx: number | null): Promise<void>;
}

export const DEFAULT_REUSE_MS = 24 * 3_600_000;

export function outputKey(facts: OutputFacts): string {
  return sha256(canonicalJson(facts));
}

// Entries in their last minute are left out: the bytes must still be there when the file that points at them is
// recorded.
// $1 key
const FIND: Statement = {
  name: 'documents_find_output',
  text: `
SELECT o.output, o.docx,
       (SELECT size FROM millrace.document_contents WHERE seq = o.output) AS output_size,
       (SELECT size FROM millrace.document_contents WHERE seq = o.docx) AS docx_size
  FROM millrace.document_outputs o WHERE o.key = $1 AND o.expires_at > millrace.clock() + interval '1 minute'`,
};

// $1 key $2 output $3 docx $4 reuse, ms
const KEEP: Statement = {
  name: 'documents_keep_output',
  text: `
INSERT INTO millrace.document_outputs (key, output, docx, expires_at)
VALUES ($1, $2, $3, millrace.clock() + $4::float8 * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET output = excluded.output, docx = excluded.docx, expires_at = excluded.expires_at`,
};

export function createOutputs({
  database,
  reuseMs = DEFAULT_REUSE_MS,
}: {
  database: Database;
  reuseMs?: number | undefined;
}): Outputs {
  return {
    async find(key) {
      const [row] = await database.query<{
        output: number;
        docx: number | null;
        output_size: number;
        docx_size: number | null;
      }>(FIND, [key]);
      if (row === undefined) return null;
      return {
        output: { seq: row.output, size: row.output_size },
        docx: row.docx === null ? null : { seq: row.docx, size: row.docx_size ?? 0 },
      };
    },
    async keep(key, output, docx) {
      await database.query(KEEP, [key, output, docx, reuseMs]);
    },
  };
}
