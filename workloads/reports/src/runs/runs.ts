import type { Duration, Queue } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import {
  type Live,
  type Page,
  type PageParams,
  numberCursor,
  pageLimit,
} from '@millrace/workload-kit';
import type { ReportDefinition } from '../catalogue/types.ts';
import { ReportError } from '../errors.ts';
import { REPORT, type ReportJob } from '../job-data.ts';
import { adopt } from './adopt.ts';
import type { KeptDefinitions } from './definitions.ts';
import { REPORT_TOPIC } from './log.ts';
import { type RunRecord, seqOf } from './record.ts';
import { type RunFilter, runRows } from './records.ts';
import { type RunSight, isOver, sightOf } from './sight.ts';

export interface NewToken {
  seal(job: string): string;
  /** Null: it does not say. */
  readonly expiresAt: number | null;
}

export interface NewRun {
  readonly definition: ReportDefinition;
  /** Of the definition. */
  readonly job: ReportJob;
  readonly tenant: string;
  readonly submitter: string | null;
  readonly correlationId: string;
  readonly priority?: number | undefined;
  /** The same key of the same tenant makes one run, while it lives and `keyWindow` (24 h) after it went well. */
  readonly key?: string | undefined;
  readonly keyWindow?: Duration | undefined;
  readonly webhook?: string | undefined;
  /** The submitter's token, which is encrypted for the job that is made. */
  readonly token?: NewToken | null;
}

/** What people do with runs. Whose they are is for within.ts to say. */
export interface Runs {
  /** Run and job are made together. Gives the run that has the key, if there is one. */
  submit(run: NewRun): Promise<RunSight>;
  /** Null where there is none: for those who have to see whose it is first. */
  find(id: string): Promise<RunSight | null>;
  /** Those of these that are there. */
  byIds(ids: readonly string[]): Promise<RunSight[]>;
  /** Newest first. */
  list(params: PageParams & RunListFilter): Promise<Page<RunSight>>;
  cancel(run: RunSight): Promise<RunSight>;
  /** It goes on from its last saved chunk. */
  retry(run: RunSight): Promise<RunSight>;
}

export interface RunListFilter extends Omit<RunFilter, 'end'> {
  readonly state?: RunSight['state'] | undefined;
}

export function createRuns(parts: {
  database: Database;
  queue: Pick<Queue, 'enqueue' | 'get' | 'summaries' | 'cancel' | 'retry'>;
  definitions: KeptDefinitions;
  live: Live;
}): Runs {
  const { database, queue, definitions, live } = parts;

  async function seen(runs: readonly RunRecord[]): Promise<RunSight[]> {
    const jobs = await queue.summaries(runs.map(({ id }) => id));
    const byId = new Map(jobs.map((job) => [job.id, job]));
    return runs.map((run) => sightOf(run, byId.get(run.id) ?? null));
  }

  async function find(id: string): Promise<RunSight | null> {
    const seq = seqOf(id);
    if (seq === null) return null;
    const run = await runRows.get(database, seq, id);
    if (run !== null) return (await seen([run]))[0] ?? null;
    const job = await queue.get(id);
    const adopted = job === null ? null : await adopt(database, job);
    return adopted === null ? null : sightOf(adopted, job);
  }

  async function again({ id }: RunSight): Promise<RunSight> {
    live.announce(REPORT_TOPIC, id);
    const run = await find(id);
    if (run === null) throw noRun(id);
    return run;
  }

  return {
    async submit(run) {
      const { definition, job, tenant, submitter, correlationId } = run;
      const request = {
        kind: REPORT,
        data: job,
        tenant,
        correlationId,
        ...(submitter !== null && { submitter, subject: submitter }),
        ...(run.priority !== undefined && { priority: run.priority }),
        ...(run.key !== undefined && { key: run.key }),
        ...(run.keyWindow !== undefined && { keyWindow: run.keyWindow }),
        ...(run.webhook !== undefined && { webhook: run.webhook }),
      };
      const id = await database.transaction(async (session) => {
        await definitions.keepIn(session, definition);
        const made = await queue.enqueue(request, { transaction: session });
        const seq = seqOf(made.id);
        if (made.created && seq !== null)
          await runRows.add(session, {
            seq,
            id: made.id,
            report: definition.name,
            digest: definition.digest,
            title: definition.value.title,
            parameters: job.parameters ?? {},
            tenant,
            submitter,
            identity: job.identity,
            correlationId,
            schedule: null,
            parents: null,
            format: job.output.format,
            compression: job.output.compression,
            token: run.token?.seal(made.id) ?? null,
            tokenExpiresAt: run.token?.expiresAt ?? null,
          });
        return made.id;
      });
      live.announce(REPORT_TOPIC, id);
      const begun = await find(id);
      if (begun === null) throw noRun(id);
      return begun;
    },
    find,
    async byIds(ids) {
      const seqs = ids.map(seqOf).filter((seq) => seq !== null);
      const known = new Set(ids);
      const runs = seqs.length === 0 ? [] : await runRows.bySeq(database, seqs);
      return seen(runs.filter(({ id }) => known.has(id)));
    },
    async list({ limit: asked, cursor, state, ...filter }) {
      const limit = pageLimit({ limit: asked });
      const isLive = state === 'QUEUED' || state === 'PROCESSING';
      const end = isLive ? 'none' : state;
      let below = numberCursor({ cursor }, Number.MAX_SAFE_INTEGER);
      const items: RunSight[] = [];
      // What the row has noted narrows it down, and the job decides: another round where some did not fit.
      for (;;) {
        const runs = await runRows.list(database, { ...filter, end }, below, limit + 1);
        const fitting = (await seen(runs)).filter(
          (run) => state === undefined || run.state === state,
        );
        items.push(...fitting);
        below = runs.at(-1)?.seq ?? 0;
        if (items.length > limit || runs.length <= limit) break;
      }
      const shown = items.slice(0, limit);
      return { items: shown, next: items.length > limit ? String(shown.at(-1)?.seq) : null };
    },
    async cancel(run) {
      const { canceled, requested } = isOver(run)
        ? { canceled: [], requested: [] }
        : await queue.cancel([run.id]);
      if (canceled.length + requested.length === 0)
        throw new ReportError(
          'report_run_finished',
          `The run ${run.id} is over; there is nothing to cancel.`,
        );
      return again(run);
    },
    async retry(run) {
      if (isOver(run) && run.state !== 'SUCCEEDED' && (await queue.retry([run.id])).length > 0) {
        await runRows.liveAgain(database, run.seq);
        return again(run);
      }
      throw new ReportError(
        'report_run_not_retryable',
        `The run ${run.id} is ${run.state}: only one that has failed or was cancelled can go on.`,
      );
    },
  };
}

export function noRun(id: string): ReportError {
  return new ReportError('report_run_not_found', `There is no run "${id}" of a report.`);
}
