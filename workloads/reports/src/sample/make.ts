import type { SqlSource } from '@millrace/sql-source';
import { hasSample } from './state.ts';
import { type SampleOptions, type SampleStep, sampleSteps } from './steps.ts';

export interface MakeOptions extends SampleOptions {
  /** Looked at between steps. What is made by then is no sample, and the next one begins with an empty table. */
  readonly signal?: AbortSignal;
  readonly onStep?: (step: SampleStep) => void;
}

/** Some thousand rows: enough to look at, and made within a second. */
const SMALL_ROWS = 5_000;
const LOOK_WITHIN_MS = 10_000;

export async function makeSample(
  change: (sql: string) => Promise<void>,
  { signal, onStep, ...options }: MakeOptions,
): Promise<void> {
  for (const step of sampleSteps(options)) {
    signal?.throwIfAborted();
    await change(step.sql);
    onStep?.(step);
  }
}

/** A small sample for an embedded source that has none. Somebody's own Postgres is left as it is. */
export async function ensureSample(
  source: SqlSource,
  { today, rows = SMALL_ROWS }: { readonly today: string; readonly rows?: number },
): Promise<'made' | 'there' | 'not ours'> {
  if (source.change === undefined) return 'not ours';
  if (await isThere(source)) return 'there';
  await makeSample(source.change, { rows, today });
  return 'made';
}

async function isThere(source: SqlSource): Promise<boolean> {
  const reading = await source.begin({ statementTimeoutMs: LOOK_WITHIN_MS });
  try {
    return (await hasSample(reading)) !== null;
  } finally {
    await reading.end();
  }
}
