import { type Database, type Param, type Statement, texts } from '@millrace/store-postgres';
import type { Belonging } from '@millrace/workload-kit';
import { type Word, seqOf } from './ids.ts';

/** Whose something is, found by its id alone. Null where there is no such thing. */
export type Belongings = (word: Word, id: string) => Promise<Belonging | null>;

// $1 seq
const WHOSE: Readonly<Record<Word, Statement>> = {
  tpl: {
    name: 'documents_whose_template',
    text: 'SELECT tenant, owner AS submitter FROM millrace.document_templates WHERE seq = $1',
  },
  file: {
    name: 'documents_whose_file',
    text: 'SELECT tenant, submitter FROM millrace.document_files WHERE seq = $1',
  },
  batch: {
    name: 'documents_whose_batch',
    text: 'SELECT tenant, submitter FROM millrace.document_batches WHERE seq = $1',
  },
};

export function createBelongings(database: Database): Belongings {
  return async (word, id) => {
    const seq = seqOf(word, id);
    if (seq === null) return null;
    const [row] = await database.query<{ tenant: string; submitter: string | null }>(WHOSE[word], [
      seq,
    ]);
    return row ?? null;
  };
}

/** Of which tenants a list is, and of whom; an empty list of tenants has nothing. */
export interface Whose {
  readonly tenants?: readonly string[] | 'all' | undefined;
  readonly submitter?: string | undefined;
}

/** What a tenant is compared with. One alone is named as it is, so that a list is read in the order of the tenant's index. */
export function ofTenants(tenants: readonly string[], values: Param[]): string {
  const [only] = tenants;
  return tenants.length === 1 && only !== undefined
    ? `$${values.push(only)}`
    : `ANY ($${values.push(texts(tenants))}::text::text[])`;
}
