import { BULK_COUNTED, type BulkAction, type BulkActionJson } from '@millrace/api';
import type { Filter, JobId, JobState, JobSummary, Queue } from '@millrace/engine';
import { type FrozenBulk, isOfGroup, takes } from './asked.ts';

/** Which jobs: those of a filter made before a moment, perhaps only of one group of errors; or exactly these. */
export type Meant =
  | { readonly filter: Filter; readonly group: string | null }
  | { readonly ids: readonly JobId[] };

const PAGE = 1_000;
const SAMPLE = 5;

/** Counts and names the jobs that an action is meant for; `ids` null: more than are counted. */
export async function freeze(
  queue: Pick<Queue, 'list' | 'summaries'>,
  action: BulkAction,
  meant: Meant,
): Promise<{ frozen: FrozenBulk; ids: JobId[] | null }> {
  const { jobs, more } = await jobsOf(queue, meant);
  const taking = jobs.filter(({ state }) => takes(action, state));
  const gone = 'ids' in meant ? new Set(meant.ids).size - jobs.length : 0;
  const causes = causesOf(taking);
  return {
    frozen: {
      matched: jobs.length + gone,
      count: taking.length,
      more,
      leftOut: leftOutOf(action, jobs, gone),
      causes,
      warning: action === 'retry' ? warningOf(causes, taking.length) : null,
      sample: taking.slice(0, SAMPLE).map(({ id }) => id),
    },
    ids: more ? null : taking.map(({ id }) => id),
  };
}

async function jobsOf(
  queue: Pick<Queue, 'list' | 'summaries'>,
  meant: Meant,
): Promise<{ jobs: JobSummary[]; more: boolean }> {
  if ('ids' in meant) return { jobs: await queue.summaries(meant.ids), more: false };
  const jobs: JobSummary[] = [];
  const isMeant = isOfGroup(meant.group);
  for (let from: { cursor?: string } = {}; ;) {
    const page = await queue.list({ filter: meant.filter, limit: PAGE, ...from });
    jobs.push(...page.jobs.filter(isMeant));
    if (jobs.length > BULK_COUNTED) return { jobs: jobs.slice(0, BULK_COUNTED), more: true };
    if (page.next === null) return { jobs, more: false };
    from = { cursor: page.next };
  }
}

type LeftOut = BulkActionJson['leftOut'][number];

const REASONS: Readonly<Record<JobState, Omit<LeftOut, 'count'>>> = {
  QUEUED: { reason: 'waits', sentence: 'They are queued.' },
  PROCESSING: { reason: 'runs', sentence: 'They are running.' },
  SUCCEEDED: { reason: 'succeeded', sentence: 'They have succeeded.' },
  FAILED: { reason: 'failed', sentence: 'They have failed.' },
  CANCELED: { reason: 'canceled', sentence: 'They were cancelled.' },
};

function leftOutOf(action: BulkAction, jobs: readonly JobSummary[], gone: number): LeftOut[] {
  const left = Object.entries(REASONS) as [JobState, Omit<LeftOut, 'count'>][];
  const counted = left.flatMap(([state, why]) => {
    const count = takes(action, state) ? 0 : jobs.filter((job) => job.state === state).length;
    return count === 0 ? [] : [{ ...why, count }];
  });
  if (gone === 0) return counted;
  return [...counted, { reason: 'gone', sentence: 'They no longer exist.', count: gone }];
}

function causesOf(jobs: readonly JobSummary[]): FrozenBulk['causes'] {
  const causes = new Map<string, { code: string; count: number; retryable: boolean }>();
  for (const { error } of jobs) {
    if (error === null) continue;
    const { code, retryable } = error;
    const before = causes.get(code) ?? { code, count: 0, retryable: false };
    causes.set(code, {
      code,
      count: before.count + 1,
      retryable: before.retryable || retryable,
    });
  }
  return [...causes.values()].toSorted((a, b) => b.count - a.count);
}

/** Warns that permanent failures fail again unless their cause was fixed. */
function warningOf(causes: FrozenBulk['causes'], of: number): string | null {
  const final = causes.filter(({ retryable }) => !retryable);
  const count = final.reduce((sum, cause) => sum + cause.count, 0);
  if (count === 0) return null;
  const codes = final.map(({ code }) => code).join(', ');
  const who = count === of ? (of === 1 ? 'It' : `All ${of}`) : `${count} of ${of}`;
  return `${who} failed for good (${codes}): unless the cause was corrected, the same happens again.`;
}
