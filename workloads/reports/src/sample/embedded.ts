import type { Log } from '@millrace/engine';
import { type SqlSource, SourceUnavailable } from '@millrace/sql-source';
import { type Filling, createFilling } from './filling.ts';
import { makeSample } from './make.ts';
import { hasSample } from './state.ts';

/** Enough to look at, and made within seconds. */
const FIRST_ROWS = 5_000;
const LOOK_WITHIN_MS = 60_000;

/**
 * The embedded source with its sample: whoever reads first finds a small one, and nobody reads while it is being filled, since
 * tables come one after the other. A database of people's own is left as it is.
 */
export function sampleIn(
  source: SqlSource,
  log: Log,
  firstRows = FIRST_ROWS,
): { readonly source: SqlSource; readonly sample: Filling | null } {
  const { change } = source;
  if (change === undefined) return { source, sample: null };
  const sample = createFilling({
    log,
    now: () => Date.now(),
    async made() {
      sayOnce();
      const reading = await source.begin({ statementTimeoutMs: LOOK_WITHIN_MS });
      try {
        return await hasSample(reading);
      } finally {
        await reading.end();
      }
    },
    fill: ({ rows, today, onStep }) => makeSample(change, { rows, today, onStep }),
  });
  let first: Promise<void> | null = null;
  let isSaid = false;

  /** The service is ready without it; whoever reads first should know what they wait for. */
  function sayOnce(): void {
    if (!isSaid)
      log.info(
        { firstRows },
        'The embedded database of the reports is opened; the first time, this takes some seconds',
      );
    isSaid = true;
  }

  async function ready(): Promise<void> {
    first ??= sample.beginFirst(firstRows).catch((error: unknown) => {
      // Asked again by the next one.
      first = null;
      throw error;
    });
    await first;
    await sample.settled();
    const trouble = sample.trouble();
    if (trouble !== null)
      throw new SourceUnavailable(`The sample could not be filled: ${trouble}`, {
        code: 'sample_failed',
      });
  }

  return {
    sample,
    source: {
      ...source,
      async begin(options) {
        await ready();
        return source.begin(options);
      },
    },
  };
}
