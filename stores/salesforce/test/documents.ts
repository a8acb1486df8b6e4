import {
  type ClaimParams,
  type ClaimedJob,
  type SettleAnswer,
  type SettledOutcome,
  type Store,
  StoreUnavailable,
} from '@millrace/engine';
import { type FileToUpload, filesEffect } from '../src/index.ts';
import { DOCUMENT } from './inside.ts';
import type { Org, World } from './org.ts';

export const LEVELS = [
  { level: 'objects and Apex', apex: true },
  { level: 'objects only', apex: false },
] as const;

export const LEASE_MS = 600_000;

/** A record that waits, as the org's own code makes them. Gives its id. */
export function waiting(org: Org, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return org.org.insert(DOCUMENT, { Status__c: 'QUEUED', RequestJSON__c: '{}', ...fields });
}

export function account(org: Org, name = 'Acme'): Promise<string> {
  return org.org.insert('Account', { Name: name });
}

let claims = 0;

export async function claim(
  store: Store,
  changes: Partial<ClaimParams> = {},
): Promise<ClaimedJob[]> {
  return (await store.claim(claimParams(changes))).jobs;
}

export function claimParams(changes: Partial<ClaimParams> = {}): ClaimParams {
  claims += 1;
  return {
    worker: 'worker-1',
    claim: claims,
    wants: [{ kind: 'document', limit: 1_000 }],
    limit: 1_000,
    leaseMs: LEASE_MS,
    ...changes,
  };
}

/** A record, claimed. No other may wait. */
export async function running(
  { org }: Pick<World, 'org'>,
  store: Store,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<{ id: string; job: ClaimedJob }> {
  const id = await waiting(org, fields);
  return { id, job: only(await claim(store)) };
}

export function only<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error(`${items.length} instead of one`);
  return item;
}

/** About a page. */
const PAGE = Buffer.from(`%PDF-1.7\n${'a line of a page\n'.repeat(100)}`);

export function pdf(name = 'invoice.pdf'): FileToUpload {
  return { part: 'output', name, bytes: PAGE };
}

export function docx(name = 'invoice.docx'): FileToUpload {
  return { part: 'docx', name, bytes: PAGE };
}

export function made(
  parents: readonly string[] = [],
  uploads: readonly FileToUpload[] = [pdf()],
): SettledOutcome {
  return {
    move: 'succeed',
    result: '{"pages":1}',
    purgePayload: false,
    effects: [filesEffect(uploads, { parents })],
  };
}

export const FAILED: SettledOutcome = {
  move: 'fail',
  error: { code: 'conversion_failed', message: 'The page was too large.', retryable: false },
  stack: null,
};

export async function settle(
  store: Store,
  job: ClaimedJob,
  outcome: SettledOutcome = made(),
): Promise<SettleAnswer> {
  return only(await store.settle({ settlements: [{ job, outcome, children: [] }] }));
}

export function settleAll(
  store: Store,
  jobs: readonly ClaimedJob[],
  outcome: (job: ClaimedJob) => SettledOutcome = () => made(),
): Promise<SettleAnswer[]> {
  return store.settle({
    settlements: jobs.map((job) => ({ job, outcome: outcome(job), children: [] })),
  });
}

/** As the engine does: asked again for as long as nobody can tell. */
export async function untilAnswered<T>(ask: () => Promise<T>, tries = 10): Promise<T> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof StoreUnavailable)) throw error;
    }
  }
}

export function recordOf(jobId: string): string {
  return jobId.slice(-18);
}

/** Someone with the record on the screen, whom the trigger sees as a person. */
export async function byHand(
  world: World,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const person = world.connect();
  await person.request({ method: 'PATCH', path: `sobjects/${DOCUMENT}/${id}`, body: fields });
}

export async function deleteByHand(world: World, id: string): Promise<void> {
  await world.connect().request({ method: 'DELETE', path: `sobjects/${DOCUMENT}/${id}` });
}
