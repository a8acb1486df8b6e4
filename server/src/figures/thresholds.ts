import type { Overview } from '@millrace/api';

/** What alerts go by (docs/operations/alerts.yml), where there is one; a test holds the two together. */
export const THRESHOLDS: Overview['thresholds'] = {
  queueDepth: { warn: 100, critical: 500, scaleOut: 1_000 },
  successRate: { warn: 0.97, critical: 0.95 },
  retryRate: { warn: 0.1, critical: 0.25 },
  oldestDueSeconds: { warn: 300, critical: 900 },
  budget: { warn: 0.7, stop: 0.9 },
  templateCacheHits: { warn: 0.8, critical: 0.7 },
  documentP95Ms: { warn: 15_000, critical: 30_000 },
};
