import { describe, expect, test } from 'vitest';
import { AT, DATA, NO_ANSWER, THROTTLED, says, seen, word } from '../../test/seen.ts';
import type { PollData } from './data.ts';

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

  test('are looked for four times, further and further apart; then there are none', () => {
    let data: PollData = DATA;
    const words: string[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      const step = seen(10 + attempt, { ...complete, data, rowset: 0 });
      words.push(word(step));
      if (step.type === 'defer') ({ data } = step);
    }
    expect(words).toEqual(['defer 1500', 'defer 3000', 'defer 6000', 'ready 0 by rowset']);
    expect(data).toMatchObject({
      rowsetReadyDetectedAt: AT(11),
      rowsetReadyAttempts: 3,
      pollCount: 4,
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
