import type { AskedStore, Scope } from '@millrace/engine';
import { narrowed } from '@millrace/engine';
import type { Failure, Figures } from '@millrace/store-postgres';
import { type Grouped, groupsOf } from './error-groups.ts';

/** The newest that are looked at. */
const MOST = 20_000;
/** The maximum of jobs read from another store: listing the records of an org costs API calls. */
const MOST_BESIDE = 200;

export interface Errors extends Grouped {
  readonly at: number;
  readonly looked: { readonly failed: number; readonly retrying: number };
}

/** Why jobs of a scope have failed, or wait for another try. Never scans the history. */
export async function errorsOf(
  parts: {
    readonly figures: Pick<Figures, 'failures'>;
    readonly store: Pick<AskedStore, 'list' | 'counts' | 'now'>;
    /** Kinds whose jobs are not in the database. */
    readonly beside: ReadonlySet<string>;
  },
  scope: Scope,
  kind: string | undefined,
): Promise<Errors> {
  const { figures, store, beside } = parts;
  const filter = narrowed(scope, kind === undefined ? {} : { kind });
  const ask = (of: 'failed' | 'retrying'): Promise<Failure[]> =>
    figures.failures({ of, filter, limit: MOST + 1 });
  const [at, failed, retrying, others] = await Promise.all([
    store.now(),
    ask('failed'),
    ask('retrying'),
    failedBeside(store, beside, kind),
  ]);
  const all = {
    failed: [...failed.slice(0, MOST), ...others.failures],
    retrying: retrying.slice(0, MOST),
  };
  const { groups, truncated } = await groupsOf(all, at);
  const isCut = failed.length > MOST || retrying.length > MOST || others.isCut;
  return {
    at,
    groups,
    truncated: truncated || isCut,
    looked: { failed: all.failed.length, retrying: all.retrying.length },
  };
}

/** In Redis or in an org, of the kinds that have any. */
async function failedBeside(
  store: Pick<AskedStore, 'list' | 'counts'>,
  beside: ReadonlySet<string>,
  asked: string | undefined,
): Promise<{ readonly failures: Failure[]; readonly isCut: boolean }> {
  if (beside.size === 0) return { failures: [], isCut: false };
  const kinds = new Set(
    (await store.counts())
      .filter(({ kind, state }) => state === 'FAILED' && beside.has(kind))
      .map(({ kind }) => kind)
      .filter((kind) => asked === undefined || asked === kind),
  );
  const lists = await Promise.all(
    [...kinds].map((kind) => store.list({ filter: { kind, state: 'FAILED' }, limit: MOST_BESIDE })),
  );
  return {
    isCut: lists.some(({ next }) => next !== null),
    failures: lists.flatMap(({ jobs }) =>
      jobs.flatMap(({ id, kind, error, finishedAt, createdAt }) =>
        error === null ? [] : [{ id, kind, ...error, at: finishedAt ?? createdAt }],
      ),
    ),
  };
}
