import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { THRESHOLDS } from './thresholds.ts';

const alerts = readFileSync(
  new URL('../../../docs/operations/alerts.yml', import.meta.url),
  'utf8',
);

const targets =
  /Targets: .*?memory\./s.exec(
    readFileSync(new URL('../../../docs/operations/README.md', import.meta.url), 'utf8'),
  )?.[0] ?? '';

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
      target: queueDepth.target,
      warn: markOf('MillraceQueueDepthHigh'),
      critical: markOf('MillraceQueueDepthCritical'),
      scaleOut: markOf('MillraceScaleOut'),
    },
    successRate: {
      target: successRate.target,
      warn: markOf('MillraceSuccessRateLow'),
      critical: markOf('MillraceSuccessRateCritical'),
    },
    retryRate: {
      target: retryRate.target,
      warn: markOf('MillraceRetryRateHigh'),
      critical: markOf('MillraceRetryRateCritical'),
    },
    budget: {
      warn: markOf('MillraceSalesforceUsageHigh'),
      stop: markOf('MillraceSalesforceUsageCritical'),
    },
    templateCacheHits: {
      target: templateCacheHits.target,
      warn: markOf('MillraceTemplateCacheMisses'),
      critical: markOf('MillraceTemplateCacheMissesCritical'),
    },
    documentP95Ms: {
      target: documentP95Ms.target,
      warn: markOf('MillraceDocumentsSlow') * 1_000,
      critical: markOf('MillraceDocumentsVerySlow') * 1_000,
    },
  }).toEqual({ queueDepth, successRate, retryRate, budget, templateCacheHits, documentP95Ms });
});

test('the targets of the overview are those of the operators', () => {
  const { queueDepth, successRate, retryRate, templateCacheHits, documentP95Ms } = THRESHOLDS;
  const said = (value: number | null): number => Number(((value ?? 0) * 100).toFixed(1));
  expect(targets.replaceAll(/\s+/g, ' ')).toBe(
    `Targets: success ${said(successRate.target)} %, P95 of documents ${(documentP95Ms.target ?? 0) / 1000} s, ` +
      `fewer than ${queueDepth.target} jobs waiting, retries below ${said(retryRate.target)} %, ` +
      `${said(templateCacheHits.target)} % of templates found in memory.`,
  );
});
