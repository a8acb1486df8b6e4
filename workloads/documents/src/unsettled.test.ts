import { createEvents } from '@millrace/engine';
import { watchEndedJobs } from '@millrace/workload-kit';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Dimensions, type DocumentMetrics, NO_METRICS } from './observe.ts';
import { type Unsettled, createUnsettled } from './unsettled.ts';

/** What the metrics have of a document, and when. */

const OF: Dimensions = { templateId: 't', outputFormat: 'PDF', mode: 'batch' };
const TIMINGS = { template: 1, merge: 2, wait: 600, convert: 50, store: 0, total: 660 };
const JOB = { id: 'pg-1', kind: 'document', tenant: '', attempt: 1, correlationId: 'c' };
const FAILURE = { message: 'It failed.', retryable: true };

let told: string[];
let events: ReturnType<typeof createEvents>;
let unsettled: Unsettled;
beforeEach(() => {
  told = [];
  const metrics: DocumentMetrics = {
    ...NO_METRICS,
    duration: (_, ms) => told.push(`made in ${ms}`),
    step: (step, mode, ms) => told.push(`${mode} ${step} ${ms}`),
    failed: (reason, { templateId, outputFormat }) =>
      told.push(`failed ${reason} ${templateId} ${outputFormat}`),
  };
  events = createEvents();
  unsettled = createUnsettled(metrics);
  watchEndedJobs(events, unsettled.ended);
});

describe('a document', () => {
  test('is made when its end is written, with the upload and without the wait', () => {
    unsettled.begun('pg-1', OF);
    unsettled.made('pg-1', OF, TIMINGS);
    expect(told).toEqual([]);
    events.emit('job.succeeded', { ...JOB, durationMs: 1_000 });
    expect(told).toEqual([
      'made in 393',
      'batch template 1',
      'batch merge 2',
      'batch wait 600',
      'batch convert 50',
      'batch upload 340',
    ]);
  });

  test.each(['upload_failed', 'timeout', 'storage_full'])(
    'that was made and ended with %s has failed',
    (code) => {
      unsettled.made('pg-1', OF, TIMINGS);
      const error = { ...FAILURE, code };
      events.emit('job.failed', { ...JOB, durationMs: 1, error, stack: null });
      expect(told).toEqual([`failed ${code} t PDF`]);
    },
  );

  test('that is tried again has not failed, and counts once however often it was tried', () => {
    const error = { ...FAILURE, code: 'conversion_failed' };
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      unsettled.begun('pg-1', OF);
      events.emit('job.retrying', { ...JOB, durationMs: 1, error, stack: null, delayMs: 1 });
    }
    expect(told).toEqual([]);
    unsettled.begun('pg-1', OF);
    events.emit('job.failed', { ...JOB, durationMs: 1, error, stack: null });
    expect(told).toEqual(['failed conversion_failed t PDF']);
  });

  test('of a template that is not there, or whose worker was lost, is of no known template', () => {
    unsettled.begun('pg-1', OF);
    const error = { ...FAILURE, code: 'template_not_found' };
    events.emit('job.failed', { ...JOB, durationMs: 1, error, stack: null });
    events.emit('job.lost', { ...JOB });
    expect(told).toEqual([
      'failed template_not_found unknown PDF',
      'failed worker_lost unknown unknown',
    ]);
  });

  test('that another worker has by now, or that was cancelled, is not counted here', () => {
    unsettled.made('pg-1', OF, TIMINGS);
    events.emit('job.canceled', { ...JOB, durationMs: 1 });
    events.emit('job.succeeded', { ...JOB, durationMs: 1 });
    expect(told).toEqual([]);
  });

  test('is no batch', () => {
    const error = { ...FAILURE, code: 'unknown' };
    const batch = { ...JOB, kind: 'document.batch' };
    events.emit('job.failed', { ...batch, durationMs: 1, error, stack: null });
    expect(told).toEqual([]);
  });
});
