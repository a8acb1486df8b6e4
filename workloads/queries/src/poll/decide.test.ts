import type { TaskStatus } from '@millrace/marketing-cloud';
import { describe, expect, test } from 'vitest';
import { POLL_CONFIG, nextDelay, readinessDelay } from './config.ts';
import type { PollData } from './data.ts';
import { type Seen, type Step, type Unanswered, decide } from './decide.ts';

const START = Date.parse('2026-01-31T09:00:00.000Z');
const AT = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

const DATA: PollData = {
  runId: 'run-1',
  tenantId: '',
  userId: 'ada',
  mid: '100001',
  taskId: 't-1',
  pollCount: 1,
  pollStartedAt: AT(0),
};

function says(status: string | null, more: Partial<TaskStatus> = {}): TaskStatus {
  return {
    taskId: 't-1',
    status,
    statusMessage: null,
    errorMsg: null,
    startDate: null,
    completedDate: null,
    ...more,
  };
}

const NO_ANSWER: Unanswered = { unanswered: 'away', retryAfterMs: null, throttled: false };
const THROTTLED: Unanswered = { unanswered: 'slower', retryAfterMs: 45_000, throttled: true };

/** What was seen so many seconds after the start; `random` 0.5 is no jitter. */
function seen(
  seconds: number,
  given: Partial<Omit<Seen, 'data' | 'run'>> & { data?: Partial<PollData> } = {},
  run: Partial<Seen['run']> = {},
): Step {
  const { data, ...rest } = given;
  return decide(
    {
      run: { status: 'running', asText: false, mceStatus: null, ...run },
      now: START + seconds * 1_000,
      random: 0.5,
      data: { ...DATA, ...data },
      ...rest,
    },
    POLL_CONFIG,
  );
}

/** A step in a word and what counts about it. */
function word(step: Step): string {
  switch (step.type) {
    case 'ask':
      return `ask ${step.what}`;
    case 'defer':
      return `defer ${step.afterMs}`;
    case 'ready':
      return `ready ${step.rowCount} by ${step.by}`;
    case 'failed':
      return `failed ${step.code}`;
    case 'rerun':
    case 'over':
      return step.type;
  }
}

describe('the tree, top to bottom', () => {
  const done = '2026-01-31T09:00:03';
  const rows: [string, Step, string][] = [
    ['a canceled run is over', seen(4, {}, { status: 'canceled' }), 'over'],
    ['a ready run is over', seen(4, {}, { status: 'ready' }), 'over'],
    ['a failed run is over', seen(4, {}, { status: 'failed' }), 'over'],
    ['canceled goes before the budget', seen(2_000, {}, { status: 'canceled' }), 'over'],
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
      'but not while SOAP says Queued, when "false" means nothing',
      seen(60, { status: says(' queued', { completedDate: done }), probe: 0 }),
      'defer 4000',
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
      'defer 4000',
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
    ['its second try is being made', seen(60, {}, { status: 'queued' }), 'defer 4000'],
  ];
  test.each(rows)('%s', (_, step, expected) => {
    expect(word(step)).toBe(expected);
  });
});

describe('a query that Marketing Cloud ended otherwise', () => {
  test.each([
    'Canceled',
    'Cancelled',
    'cancelling',
    ' Stopped ',
    'Aborted',
    'Timeout',
    'Timed Out',
    'Skipped',
  ])('%j has failed, with the word, and is not tried again', (said) => {
    const step = seen(2, { status: says(said) });
    expect(step).toMatchObject({ type: 'failed', code: 'query_failed' });
    expect(step.type === 'failed' && step.message).toContain(said.trim());
  });

  test('says why, where it does', () => {
    const step = seen(2, { status: says('Canceled', { statusMessage: 'By an administrator' }) });
    expect(step).toMatchObject({
      message: 'Marketing Cloud ended the query: Canceled. By an administrator',
    });
  });

  test('"Failed" without a reason may be one of types', () => {
    expect(word(seen(2, { status: says('Failed') }))).toBe('rerun');
    expect(word(seen(2, { status: says('Failed') }, { asText: true }))).toBe('failed query_failed');
  });

  describe('with a word that nobody knows', () => {
    const last = { rowsetReadyDetectedAt: AT(200), rowsetReadyAttempts: 5 };

    test('has failed where there are no rows in the end', () => {
      expect(seen(300, { status: says('Pondering'), rowset: 0, data: last })).toMatchObject({
        type: 'failed',
        code: 'query_failed',
        message:
          'Marketing Cloud says Pondering, the query no longer runs, and it has given no rows.',
      });
    });

    test('also where that word was heard in a poll before', () => {
      const run = { mceStatus: 'Pondering' };
      expect(word(seen(300, { status: NO_ANSWER, rowset: 0, data: last }, run))).toBe(
        'failed query_failed',
      );
    });

    test('is ready where there are some; and without any word, 0 rows are 0 rows', () => {
      const some = { status: says('Pondering'), rowset: 3, data: last };
      expect(word(seen(300, some))).toBe('ready 3 by rowset');
      expect(word(seen(300, { status: null, rowset: 0, data: last }))).toBe('ready 0 by rowset');
    });
  });
});

describe('the rows of a query that is over', () => {
  const complete = { status: says('Complete') };

  test('are looked for six times, further and further apart; then there are none', () => {
    let data: PollData = DATA;
    const words: string[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      const step = seen(10 + attempt, { ...complete, data, rowset: 0 });
      words.push(word(step));
      if (step.type === 'defer') ({ data } = step);
    }
    expect(words).toEqual([
      'defer 1500',
      'defer 3000',
      'defer 6000',
      'defer 8000',
      'defer 8000',
      'ready 0 by rowset',
    ]);
    expect(data).toMatchObject({
      rowsetReadyDetectedAt: AT(11),
      rowsetReadyAttempts: 5,
      pollCount: 6,
    });
  });

  test('that cannot be read in six attempts are a failure, never an empty result', () => {
    const step = seen(20, { ...complete, data: { rowsetReadyAttempts: 5 }, rowset: NO_ANSWER });
    expect(step).toMatchObject({ type: 'failed', code: 'rowset_unavailable' });
  });

  test('are not given up because Marketing Cloud throttles', () => {
    const step = seen(20, { ...complete, data: { rowsetReadyAttempts: 5 }, rowset: THROTTLED });
    expect(step).toMatchObject({ type: 'defer', afterMs: 45_000 });
    expect(step.type === 'defer' && step.data.rowsetReadyAttempts).toBe(5);
  });

  test('are looked for beyond the 29 minutes and the 120 polls: the query itself was in time', () => {
    const data = { rowsetReadyDetectedAt: AT(1_700), rowsetReadyAttempts: 2, pollCount: 130 };
    expect(word(seen(3_600, { ...complete, data, rowset: 0 }))).toBe('defer 6000');
    expect(word(seen(3_600, { status: NO_ANSWER, data }))).toBe('ask rowset');
    expect(word(seen(3_600, { ...complete, data, rowset: THROTTLED }))).toBe('defer 45000');
  });

  test('use up their attempts where throttling lasts for twice the 29 minutes', () => {
    let data: PollData = DATA;
    let step = seen(60, { ...complete, data, rowset: THROTTLED });
    let polls = 1;
    for (; step.type === 'defer'; polls += 1) {
      ({ data } = step);
      step = seen(60 + polls, { ...complete, data, rowset: THROTTLED });
    }
    expect(step).toMatchObject({ type: 'failed', code: 'rowset_unavailable' });
    expect(data.throttledMs).toBe(78 * 45_000 + 5 * 45_000);
  });

  test('are looked for on, once REST has confirmed the end, without asking REST again', () => {
    const step = seen(300, { status: null, data: { rowsetReadyDetectedAt: AT(200) } });
    expect(word(step)).toBe('ask rowset');
    const error = says('Error', { errorMsg: 'Late.' });
    expect(word(seen(300, { status: error, data: { rowsetReadyDetectedAt: AT(200) } }))).toBe(
      'failed query_failed',
    );
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
    const step = seen(60, { data: { pollCount: 7 } }, { status: 'queued' });
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
