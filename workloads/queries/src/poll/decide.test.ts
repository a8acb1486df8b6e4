import { describe, expect, test } from 'vitest';
import { AT, NO_ANSWER, THROTTLED, says, seen, word } from '../../test/seen.ts';
import { POLL_CONFIG, nextDelay, readinessDelay } from './config.ts';
import type { Step } from './decide.ts';

describe('the tree, top to bottom', () => {
  const done = '2026-01-31T09:00:03';
  const rows: [string, Step, string][] = [
    ['a canceled run is over', seen(4, {}, { state: 'CANCELED' }), 'over'],
    ['a ready run is over', seen(4, {}, { state: 'SUCCEEDED' }), 'over'],
    ['a failed run is over', seen(4, {}, { state: 'FAILED' }), 'over'],
    ['canceled goes before the budget', seen(2_000, {}, { state: 'CANCELED' }), 'over'],
    ['29 minutes are the cap, after one more look', seen(29 * 60), 'ask status'],
    ['which may see the end', seen(60 * 60, { status: says('Complete') }), 'ask rowset'],
    ['or rows', seen(29 * 60, { status: says('Processing') }), 'ask probe'],
    [
      'of a query that is over',
      seen(29 * 60, { status: says('Processing'), probe: 3 }),
      'ask isRunning',
    ],
    ['else', seen(29 * 60, { status: says('Processing'), probe: 0 }), 'failed query_timeout'],
    [
      'or',
      seen(29 * 60, { status: says('Processing'), probe: 3, isRunning: true }),
      'failed query_timeout',
    ],
    [
      'a moment before, it goes on',
      seen(29 * 60 - 1, { status: says('Processing'), probe: 0 }),
      'defer 4000',
    ],
    [
      '120 polls are the cap',
      seen(60, { status: null, probe: 0, data: { pollCount: 120 } }),
      'failed query_timeout',
    ],
    ['119 are not', seen(60, { status: null, probe: 0, data: { pollCount: 119 } }), 'defer 30000'],
    ['at the cap it throttles: later', seen(29 * 60, { status: THROTTLED }), 'defer 45000'],
    [
      'but not for ever',
      seen(90 * 60, { status: THROTTLED, data: { throttledMs: 58 * 60_000 } }),
      'failed query_timeout',
    ],
    ['one status is asked for first', seen(2), 'ask status'],
    ['complete: are the rows there', seen(2, { status: says('Complete') }), 'ask rowset'],
    ['whatever its spelling', seen(2, { status: says('  COMPLETE ') }), 'ask rowset'],
    [
      'complete goes before a text in ErrorMsg',
      seen(2, { status: says('Complete', { errorMsg: 'note' }) }),
      'ask rowset',
    ],
    ['rows: ready', seen(2, { status: says('Complete'), rowset: 7 }), 'ready 7 by rowset'],
    [
      'error with a reason',
      seen(2, { status: says('Error', { errorMsg: 'Bad.' }) }),
      'failed query_failed',
    ],
    [
      'a reason in StatusMessage',
      seen(2, { status: says('error ', { statusMessage: 'Bad.' }) }),
      'failed query_failed',
    ],
    [
      'ErrorMsg under another status',
      seen(2, { status: says('Processing', { errorMsg: 'Bad.' }) }),
      'failed query_failed',
    ],
    [
      'ErrorMsg of blanks is none',
      seen(2, { status: says('Processing', { errorMsg: '  ' }) }),
      'defer 4000',
    ],
    ['FatalError without a reason: once as text', seen(2, { status: says('FatalError') }), 'rerun'],
    [
      'and then it has failed',
      seen(2, { status: says('FatalError') }, { asText: true }),
      'failed query_failed',
    ],
    ['Error without a reason too', seen(2, { status: says('Error', { errorMsg: '' }) }), 'rerun'],
    ['queued: later', seen(2, { status: says('Queued') }), 'defer 4000'],
    ['processing: later', seen(2, { status: says('Processing') }), 'defer 4000'],
    ['no probe before 5 s', seen(4.9, { status: says('Processing') }), 'defer 4000'],
    ['a probe from 5 s on', seen(5, { status: says('Processing') }), 'ask probe'],
    [
      'rows may be a part of them',
      seen(5, { status: says('Processing'), probe: 3 }),
      'ask isRunning',
    ],
    [
      'nothing runs: ready, whatever SOAP says',
      seen(5, { status: says('Queued'), probe: 3, isRunning: false }),
      'ready 3 by probe',
    ],
    [
      'it runs: later',
      seen(5, { status: says('Processing'), probe: 3, isRunning: true }),
      'defer 4000',
    ],
    [
      'nobody says whether it runs: later',
      seen(5, { status: says('Processing'), probe: 3, isRunning: NO_ANSWER }),
      'defer 4000',
    ],
    ['none: later', seen(5, { status: says('Processing'), probe: 0 }), 'defer 4000'],
    ['no answer: later', seen(5, { status: says('Processing'), probe: NO_ANSWER }), 'defer 4000'],
    [
      'the next probe 15 s later',
      seen(19, {
        status: says('Processing'),
        data: { rowProbeAttempts: 1, rowProbeLastCheckedAt: AT(5) },
      }),
      'defer 4000',
    ],
    [
      'then again',
      seen(20, {
        status: says('Processing'),
        data: { rowProbeAttempts: 1, rowProbeLastCheckedAt: AT(5) },
      }),
      'ask probe',
    ],
    [
      'the one after that twice as late',
      seen(49, {
        status: says('Processing'),
        data: { rowProbeAttempts: 2, rowProbeLastCheckedAt: AT(20) },
      }),
      'defer 4000',
    ],
    [
      'CompletedDate before 5 s opens nothing',
      seen(4.9, { status: says('Processing', { completedDate: done }) }),
      'defer 4000',
    ],
    [
      'from 5 s on it opens the gate',
      seen(5, { status: says('Processing', { completedDate: done }), probe: 0 }),
      'ask isRunning',
    ],
    [
      'under Queued too, which SOAP can say of a query that has ended',
      seen(60, { status: says(' queued', { completedDate: done }), probe: 0 }),
      'ask isRunning',
    ],
    [
      'where "false" counts only once it has lasted for 3 minutes',
      seen(185, {
        status: says('Queued', { completedDate: done }),
        probe: 0,
        isRunning: false,
        data: { notRunningConfirmations: 6, notRunningSince: AT(6), notRunningDetectedAt: AT(170) },
      }),
      'defer 4000',
    ],
    [
      'then the rows are looked for',
      seen(186, {
        status: says('Queued', { completedDate: done }),
        probe: 0,
        isRunning: false,
        data: { notRunningConfirmations: 6, notRunningSince: AT(6), notRunningDetectedAt: AT(171) },
      }),
      'ask rowset',
    ],
    [
      'and counts as ever where the query was seen to run',
      seen(45, {
        status: says('Queued', { completedDate: done }),
        probe: 0,
        isRunning: false,
        data: {
          ranAt: AT(6),
          notRunningConfirmations: 1,
          notRunningSince: AT(30),
          notRunningDetectedAt: AT(30),
        },
      }),
      'ask rowset',
    ],
    [
      'the next look comes when it may count, however long the backoff',
      seen(50, {
        status: says('Queued', { completedDate: done }),
        probe: 0,
        data: { pollCount: 9, notRunningConfirmations: 1, notRunningDetectedAt: AT(40) },
      }),
      'defer 5000',
    ],
    [
      'queued for 20 minutes is a signal',
      seen(1_200, { status: says('Queued'), probe: 0 }),
      'defer 4000',
    ],
    [
      'an unknown status is none, for 3 minutes',
      seen(179, { status: says('Pondering'), probe: 0 }),
      'defer 4000',
    ],
    ['then REST is asked', seen(180, { status: says('Pondering'), probe: 0 }), 'ask isRunning'],
    ['an unknown task is no signal', seen(180, { status: null, probe: 0 }), 'ask isRunning'],
    ['nor is no answer', seen(180, { status: NO_ANSWER, probe: 0 }), 'ask isRunning'],
    ['nor no task', seen(180, { data: { taskId: null }, probe: 0 }), 'ask isRunning'],
    [
      'the 3 minutes count from the last signal',
      seen(300, { status: NO_ANSWER, probe: 0, data: { signalAt: AT(200) } }),
      'defer 4000',
    ],
    ['it runs: later', seen(180, { status: null, probe: 0, isRunning: true }), 'defer 4000'],
    [
      'it is no longer there: once more, later',
      seen(180, { status: null, probe: 0, isRunning: 'gone' }),
      'defer 4000',
    ],
    [
      'and still not: nobody can say how it ended',
      seen(200, {
        status: null,
        probe: 0,
        isRunning: 'gone',
        data: { notRunningConfirmations: 1, notRunningDetectedAt: AT(180) },
      }),
      'failed query_failed',
    ],
    [
      'not where SOAP still knows its task',
      seen(400, {
        status: says('Pondering'),
        probe: 0,
        isRunning: 'gone',
        data: { notRunningConfirmations: 1, notRunningDetectedAt: AT(180) },
      }),
      'defer 4000',
    ],
    [
      'it does not, once: later',
      seen(180, { status: null, probe: 0, isRunning: false }),
      'defer 4000',
    ],
    [
      'not asked again within 15 s',
      seen(194, {
        status: null,
        probe: 0,
        data: { notRunningConfirmations: 1, notRunningDetectedAt: AT(180) },
      }),
      'defer 1000',
    ],
    [
      'twice, 15 s apart: are the rows there',
      seen(195, {
        status: null,
        probe: 0,
        isRunning: false,
        data: { notRunningConfirmations: 1, notRunningDetectedAt: AT(180) },
      }),
      'ask rowset',
    ],
    [
      'REST does not answer: SOAP goes on',
      seen(180, { status: null, probe: 0, isRunning: NO_ANSWER }),
      'defer 4000',
    ],
    [
      'SOAP is not there: later, and no later than usual',
      seen(2, { status: NO_ANSWER }),
      'defer 4000',
    ],
    ['it throttles: not before it says', seen(60, { status: THROTTLED }), 'defer 45000'],
    ['its second try is being made', seen(60, {}, { state: 'QUEUED' }), 'defer 4000'],
  ];
  test.each(rows)('%s', (_, step, expected) => {
    expect(word(step)).toBe(expected);
  });
});

describe('what is carried on', () => {
  test('a confirmation, and its end when the query runs or waits', () => {
    const first = seen(180, { status: null, probe: 0, isRunning: false });
    expect(first).toMatchObject({
      data: { notRunningConfirmations: 1, notRunningDetectedAt: AT(180), pollCount: 2 },
    });
    const data = { notRunningConfirmations: 1, notRunningDetectedAt: AT(180) };
    const runs = seen(195, { status: null, probe: 0, isRunning: true, data });
    expect(runs).toMatchObject({ data: { notRunningConfirmations: 0 } });
    const waits = seen(195, {
      status: says('Queued'),
      probe: 0,
      data: { ...data, rowsetReadyDetectedAt: AT(190) },
    });
    expect(waits).toMatchObject({ type: 'defer', data: { notRunningConfirmations: 0 } });
    expect(waits.type === 'defer' && waits.data.rowsetReadyDetectedAt).toBeUndefined();
  });

  test('under Queued with a CompletedDate, since when it does not run, until it runs or waits', () => {
    const ended = says('Queued', { completedDate: '2026-01-31T09:00:03' });
    const first = seen(6, { status: ended, probe: 0, isRunning: false });
    expect(first).toMatchObject({
      data: { notRunningSince: AT(6), notRunningConfirmations: 1 },
      waitsFor: expect.stringContaining('queued and completed'),
    });
    const data = {
      notRunningConfirmations: 1,
      notRunningSince: AT(6),
      notRunningDetectedAt: AT(6),
    };
    const second = seen(21, { status: ended, probe: 0, isRunning: false, data });
    expect(second).toMatchObject({
      data: { notRunningSince: AT(6), notRunningDetectedAt: AT(21), notRunningConfirmations: 2 },
    });
    const runs = seen(21, { status: ended, probe: 0, isRunning: true, data });
    expect(runs).toMatchObject({ data: { ranAt: AT(21), notRunningConfirmations: 0 } });
    expect(runs.type === 'defer' && runs.data.notRunningSince).toBeUndefined();
    const waits = seen(21, { status: says('Queued'), probe: 0, data });
    expect(waits.type === 'defer' && waits.data.notRunningSince).toBeUndefined();
  });

  test('what it waits for, where the status does not say it', () => {
    const waitsFor = (step: Step) => (step.type === 'defer' ? step.waitsFor : step.type);
    expect(waitsFor(seen(2, { status: says('Processing') }))).toBeNull();
    expect(waitsFor(seen(2, { status: THROTTLED }))).toContain('fewer calls');
    expect(waitsFor(seen(2, { status: NO_ANSWER }))).toContain('away');
    expect(waitsFor(seen(2, { status: says('Complete'), rowset: 0 }))).toContain('without rows');
  });

  test('no confirmation where the fast path finds that the query runs', () => {
    const data = { notRunningConfirmations: 1, notRunningDetectedAt: AT(180) };
    const runs = seen(185, { status: null, probe: 2, isRunning: true, data });
    expect(runs).toMatchObject({ type: 'defer', data: { notRunningConfirmations: 0 } });
  });

  test('a probe, and a signal', () => {
    const step = seen(5, { status: says('Processing'), probe: 0 });
    expect(step).toMatchObject({
      data: { rowProbeAttempts: 1, rowProbeLastCheckedAt: AT(5), signalAt: AT(5) },
    });
  });

  test('no poll is counted while the second try is made', () => {
    const step = seen(60, { data: { pollCount: 7 } }, { state: 'QUEUED' });
    expect(step).toMatchObject({ data: { pollCount: 7 } });
  });
});

test('the backoff is 2 s, doubled up to 30 s, 20 % up and down', () => {
  const delays = (random: number) =>
    [0, 1, 2, 3, 4, 60].map((n) => nextDelay(POLL_CONFIG, n, random));
  expect(delays(0.5)).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(delays(0)).toEqual([1_600, 3_200, 6_400, 12_800, 24_000, 24_000]);
  expect(delays(1)).toEqual([2_400, 4_800, 9_600, 19_200, 36_000, 36_000]);
  expect([1, 2, 3, 4, 9].map((n) => readinessDelay(POLL_CONFIG, n))).toEqual([
    1_500, 3_000, 6_000, 8_000, 8_000,
  ]);
});
