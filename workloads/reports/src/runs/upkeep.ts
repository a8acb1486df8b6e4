import type { JobState, JobSummary, Queue } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import type { Live } from '@millrace/workload-kit';
import { REPORT } from '../job-data.ts';
import { adopt } from './adopt.ts';
import { REPORT_TOPIC } from './log.ts';
import { type RunEnd, type RunRecord, seqOf } from './record.ts';
import { runRows } from './records.ts';

/**
 * Keeps the rows of runs in step with their jobs, every few seconds: a job that a schedule or a rule has made gets its row, and
 * how a job has ended is noted, since the job will not be kept as long. Whoever looks before is not misled: the job decides.
 */
export interface Upkeep {
  runOnce(): Promise<{ readonly adopted: number; readonly ended: number; readonly more: boolean }>;
  /** Runs that are not over, as the last round has seen them. */
  live(): Readonly<Record<'QUEUED' | 'PROCESSING', number>>;
}

const AT_ONCE = 200;
const LIVE_STATES = ['QUEUED', 'PROCESSING'] as const;

export function createUpkeep(parts: {
  database: Database;
  queue: Pick<Queue, 'get' | 'list' | 'summaries'>;
  live: Live;
  onEnded: (run: RunRecord) => void;
}): Upkeep {
  const { database, queue, live, onEnded } = parts;
  let seen = { QUEUED: 0, PROCESSING: 0 };

  async function adoptPage(jobs: readonly JobSummary[]): Promise<number> {
    const bySeq = new Map(jobs.map(({ id }) => [seqOf(id) ?? 0, id]));
    let adopted = 0;
    for (const seq of await runRows.missing(database, [...bySeq.keys()])) {
      const job = await queue.get(bySeq.get(seq) ?? '');
      if (job === null || (await adopt(database, job)) === null) continue;
      adopted += 1;
      live.announce(REPORT_TOPIC, job.id);
    }
    return adopted;
  }

  /** Newest first: behind a page whose jobs all have rows come those of earlier rounds. */
  async function adoptOf(state: JobState): Promise<number> {
    let adopted = 0;
    let cursor: string | null = null;
    do {
      const page: { jobs: JobSummary[]; next: string | null } = await queue.list({
        filter: { kind: REPORT, state },
        limit: AT_ONCE,
        ...(cursor !== null && { cursor }),
      });
      const made = await adoptPage(page.jobs);
      adopted += made;
      cursor = made === 0 ? null : page.next;
    } while (cursor !== null);
    return adopted;
  }

  async function noteEnds(): Promise<number> {
    const counted = { QUEUED: 0, PROCESSING: 0 };
    let ended = 0;
    let after = 0;
    for (;;) {
      const rows = await runRows.live(database, after, AT_ONCE);
      const jobs = new Map(
        (await queue.summaries(rows.map(({ job }) => job))).map((job) => [job.id, job]),
      );
      for (const { seq, job: id } of rows) {
        const job = jobs.get(id);
        if (job?.state === 'QUEUED' || job?.state === 'PROCESSING') counted[job.state] += 1;
        else ended += await noteEnd(seq, id, job);
      }
      after = rows.at(-1)?.seq ?? after;
      if (rows.length < AT_ONCE) break;
    }
    seen = counted;
    return ended;
  }

  async function noteEnd(seq: number, id: string, job: JobSummary | undefined): Promise<number> {
    const state = job === undefined ? await endOfGone(seq) : (job.state as RunEnd);
    const { error = null, finishedAt = null } = job ?? {};
    const noted = await runRows.noteEnd(database, seq, { state, error, finishedAt });
    // Another replica was faster.
    if (noted === null) return 0;
    live.announce(REPORT_TOPIC, id);
    onEnded(noted);
    return 1;
  }

  async function endOfGone(seq: number): Promise<RunEnd> {
    const [run] = await runRows.bySeq(database, [seq]);
    return run?.file == null ? 'CANCELED' : 'SUCCEEDED';
  }

  return {
    async runOnce() {
      let adopted = 0;
      for (const state of LIVE_STATES) adopted += await adoptOf(state);
      return { adopted, ended: await noteEnds(), more: false };
    },
    live: () => seen,
  };
}
