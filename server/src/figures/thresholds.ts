import type { Overview } from '@millrace/api';

/**
 * What is aimed at (docs/operations/README.md), and what alerts go by (docs/operations/alerts.yml), where there is one; a test
 * holds them together.
 */
export const THRESHOLDS: Overview['thresholds'] = {
  queueDepth: { target: 50, warn: 100, critical: 500, scaleOut: 1_000 },
  successRate: { target: 0.995, warn: 0.97, critical: 0.95 },
  retryRate: { target: 0.05, warn: 0.1, critical: 0.25 },
  oldestDueSeconds: { target: null, warn: 300, critical: 900 },
  budget: { warn: 0.7, stop: 0.9 },
  templateCacheHits: { target: 0.95, warn: 0.8, critical: 0.7 },
  documentP95Ms: { target: 10_000, warn: 15_000, critical: 30_000 },
};
