import type { EndedJob } from '@millrace/workload-kit';
import { DOCUMENT_BATCH } from './batch/jobs.ts';
import type { Dimensions, DocumentMetrics, Timings } from './observe.ts';

/**
 * Documents that were made, or not, by jobs whose end is not written yet. A document counts when it is: its upload may fail, its
 * job may be tried again, or run out of time.
 */
export interface Unsettled {
  begun(job: string, dimensions: Dimensions): void;
  made(job: string, dimensions: Dimensions, timings: Timings): void;
  ended(job: EndedJob): void;
}

interface Entry {
  readonly dimensions: Dimensions;
  readonly timings: Timings | null;
}

const UNKNOWN: Dimensions = { templateId: 'unknown', outputFormat: 'unknown', mode: 'batch' };

export function createUnsettled(metrics: DocumentMetrics): Unsettled {
  const entries = new Map<string, Entry>();
  return {
    begun: (job, dimensions) => void entries.set(job, { dimensions, timings: null }),
    made: (job, dimensions, timings) => void entries.set(job, { dimensions, timings }),
    ended({ id, kind, outcome, reason, durationMs }) {
      const entry = entries.get(id);
      entries.delete(id);
      if (kind === DOCUMENT_BATCH) return;
      if (outcome === 'failed')
        countFailure(metrics, reason ?? 'unknown', entry?.dimensions ?? UNKNOWN);
      const timings = entry?.timings ?? null;
      if (outcome !== 'succeeded' || timings === null) return;
      // What comes after the handler is its outcome's way to the store, for an org with the files.
      const upload = Math.max(0, (durationMs ?? timings.total) - timings.total);
      recordMade(metrics, entry?.dimensions ?? UNKNOWN, {
        ...timings,
        store: timings.store + upload,
      });
    },
  };
}

/**
 * Names of templates that do not exist are counted as `unknown`: anybody can ask for any number of names, and each would be a time
 * series.
 */
export function countFailure(
  metrics: DocumentMetrics,
  reason: string,
  dimensions: Dimensions,
): void {
  const isKnown = reason !== 'template_not_found';
  metrics.failed(reason, isKnown ? dimensions : { ...dimensions, templateId: 'unknown' });
}

/** A document's own time is that of its steps; what it waited for a process of the office is told apart. */
export function recordMade(
  metrics: DocumentMetrics,
  dimensions: Dimensions,
  { template, merge, wait, convert, store }: Timings,
): void {
  metrics.duration(dimensions, template + merge + convert + store);
  const steps = { template, merge, wait, convert, upload: store };
  for (const [step, ms] of Object.entries(steps)) metrics.step(step, dimensions.mode, ms);
}
