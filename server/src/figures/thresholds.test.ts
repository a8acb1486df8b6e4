import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { THRESHOLDS } from './thresholds.ts';

const alerts = readFileSync(
  new URL('../../../docs/operations/alerts.yml', import.meta.url),
  'utf8',
);

/** The number that an alert compares with. */
function markOf(alert: string): number {
  const [, expression = ''] =
    new RegExp(`alert: ${alert}\\n(?: *#.*\\n)* *expr: (.*)`).exec(alerts) ?? [];
  return Number(/[<>]=? ([\d.]+)/.exec(expression)?.[1]);
}

test('the marks of the overview are those of the alerts', () => {
  const { queueDepth, successRate, retryRate, budget, templateCacheHits, documentP95Ms } =
    THRESHOLDS;
  expect({
    queueDepth: {
      warn: markOf('MillraceQueueDepthHigh'),
      critical: markOf('MillraceQueueDepthCritical'),
      scaleOut: markOf('MillraceScaleOut'),
    },
    successRate: {
      warn: markOf('MillraceSuccessRateLow'),
      critical: markOf('MillraceSuccessRateCritical'),
    },
    retryRate: {
      warn: markOf('MillraceRetryRateHigh'),
      critical: markOf('MillraceRetryRateCritical'),
    },
    budget: {
      warn: markOf('MillraceSalesforceUsageHigh'),
      stop: markOf('MillraceSalesforceUsageCritical'),
    },
    templateCacheHits: {
      warn: markOf('MillraceTemplateCacheMisses'),
      critical: markOf('MillraceTemplateCacheMissesCritical'),
    },
    documentP95Ms: {
      warn: markOf('MillraceDocumentsSlow'),
      critical: markOf('MillraceDocumentsVerySlow'),
    },
  }).toEqual({ queueDepth, successRate, retryRate, budget, templateCacheHits, documentP95Ms });
});
