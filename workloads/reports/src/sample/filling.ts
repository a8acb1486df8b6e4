import type { Log } from '@millrace/engine';
import { ReportError } from '../errors.ts';

/** The embedded sample: what it has, and the one filling that may be under way. */
export interface Filling {
  status(): Promise<SampleStatus>;
  /** Goes on after the answer. Throws `sample_busy` while one is under way. */
  begin(rows: number): Promise<SampleStatus>;
  /** Where there is no sample yet. */
  beginFirst(rows: number): Promise<void>;
  /** When nothing is under way any more. */
  settled(): Promise<void>;
  /** Why the last filling failed; null: it did not. */
  trouble(): string | null;
}

export interface SampleStatus {
  readonly state: 'empty' | 'filling' | 'ready' | 'failed';
  readonly rows: number | null;
  readonly today: string | null;
  readonly percent: number;
  readonly makes: string | null;
  readonly error: string | null;
  readonly startedAt: number | null;
}

export interface FillingParts {
  /** What the sample was made with; null: there is none, or half of one. */
  readonly made: () => Promise<{ readonly rows: number; readonly today: string } | null>;
  /** `share`: of the whole work, from 0 to 1. */
  readonly fill: (params: {
    readonly rows: number;
    readonly today: string;
    readonly onStep: (step: { readonly makes: string; readonly share: number }) => void;
  }) => Promise<void>;
  readonly now: () => number;
  readonly log: Log;
}

const EMPTY: SampleStatus = {
  state: 'empty',
  rows: null,
  today: null,
  percent: 0,
  makes: null,
  error: null,
  startedAt: null,
};

/** In the process that has the embedded database: no other can fill it. */
export function createFilling({ made, fill, now, log }: FillingParts): Filling {
  let current: SampleStatus | null = null;
  let work: Promise<void> = Promise.resolve();

  async function run(status: SampleStatus & { rows: number; today: string }): Promise<void> {
    const { rows, today } = status;
    try {
      await fill({
        rows,
        today,
        onStep({ makes, share }) {
          current = { ...status, makes, percent: Math.min(99, Math.floor(share * 100)) };
        },
      });
      current = null;
      log.info({ rows }, 'The sample of the reports is filled');
    } catch (err) {
      const error = err instanceof Error ? err.message : String(err);
      current = { ...status, state: 'failed', makes: null, error };
      log.error({ err }, 'The sample of the reports could not be filled');
    }
  }

  function begin(rows: number): SampleStatus {
    if (current?.state === 'filling')
      throw new ReportError('sample_busy', `The sample is being filled: ${current.percent} %.`);
    const startedAt = now();
    const today = new Date(startedAt).toISOString().slice(0, 10);
    const status = { ...EMPTY, state: 'filling', rows, today, startedAt } as const;
    current = status;
    work = run(status);
    return status;
  }

  return {
    async status() {
      if (current !== null) return current;
      const found = await made();
      // It may have begun meanwhile.
      if (current !== null) return current;
      return found === null
        ? EMPTY
        : { ...EMPTY, state: 'ready', rows: found.rows, today: found.today, percent: 100 };
    },
    begin: async (rows) => begin(rows),
    async beginFirst(rows) {
      if (current === null && (await made()) === null && current === null) begin(rows);
    },
    settled: () => work,
    trouble: () => (current?.state === 'failed' ? current.error : null),
  };
}
