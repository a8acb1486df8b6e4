import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hangs, json, losesAnswer, raw } from '../../../test/scripted.ts';
import { connect, errorOf, openCloud, tokenAnswer } from '../../test/cloud.ts';

describe('a line that is cut', () => {
  test('a read is sent again, a start never', async () => {
    const cloud = await openCloud();
    cloud.will(losesAnswer, json(200, { isRunning: true }), losesAnswer);
    const { unit, reports, slept } = connect(cloud);
    expect(await unit.isRunning('q')).toBe(true);
    expect(reports).toMatchObject([{ requests: 2, retried: 1, status: 200, errorCode: null }]);
    const error = await errorOf(unit.startQuery('q'));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'unknown', retryable: true });
    expect([cloud.seen.length, slept.length]).toEqual([3, 1]);
  });

  test('where nobody listens: nothing was sent, and a start is tried again', async () => {
    const cloud = await openCloud();
    const nowhere = { soap_instance_url: 'http://127.0.0.1:1/' };
    cloud.login(json(200, tokenAnswer(cloud.url, 't', nowhere)));
    const { unit, slept, reports } = connect(cloud);
    const error = await errorOf(unit.startQuery('q'));
    expect(error).toMatchObject({ code: 'unreachable', outcome: 'notSent', retryable: true });
    expect(slept).toEqual([375, 750, 1_500]);
    expect(reports).toMatchObject([{ requests: 0, retried: 3, status: null }]);

    const without = connect({ url: 'http://127.0.0.1:1' });
    expect(await errorOf(without.unit.startQuery('q'))).toMatchObject({
      code: 'login_unavailable',
      outcome: 'notSent',
    });
  });
});

describe('time', () => {
  // Only the deadline's own timer: what moves bytes stays real.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('ends a request that is not answered, and it is not sent again', async () => {
    const cloud = await openCloud();
    const { step, arrived } = hangs();
    cloud.will(step);
    const { unit } = connect(cloud, { timeoutMs: 5_000 });
    const failed = errorOf(unit.isRunning('q'));
    await arrived;
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'unknown', retryable: true });
    expect(cloud.seen).toHaveLength(1);
  });

  test('ends an answer that drips', async () => {
    const cloud = await openCloud();
    let timer: NodeJS.Timeout | undefined;
    onTestFinished(() => clearInterval(timer));
    const dripping = new Promise<void>((resolve) => {
      cloud.will(({ response }) => {
        response.writeHead(200);
        timer = setInterval(() => response.write(' ', () => resolve()), 5);
      });
    });
    const failed = errorOf(connect(cloud, { timeoutMs: 5_000 }).unit.isRunning('q'));
    await dripping;
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });

  test('of a login that is too slow ends the call before it was sent', async () => {
    const cloud = await openCloud();
    const { step, arrived } = hangs();
    cloud.login(step);
    const failed = errorOf(connect(cloud, { timeoutMs: 5_000 }).unit.startQuery('q'));
    await arrived;
    vi.advanceTimersByTime(5_000);
    expect(await failed).toMatchObject({ code: 'timeout', outcome: 'notSent' });
  });
});

describe('a caller', () => {
  test('calls it off: under way, during a pause, and before', async () => {
    const cloud = await openCloud();
    const { step, arrived } = hangs();
    cloud.will(step);
    const { unit } = connect(cloud);
    const caller = new AbortController();
    const failed = errorOf(unit.startQuery('q', { signal: caller.signal }));
    await arrived;
    caller.abort();
    expect(await failed).toMatchObject({ code: 'canceled', outcome: 'unknown', retryable: false });

    cloud.will(json(503, { message: 'Down' }));
    const pausing = new AbortController();
    const during = connect(
      cloud,
      {},
      {
        sleep: async () => {
          pausing.abort();
          pausing.signal.throwIfAborted();
        },
      },
    );
    const error = await errorOf(during.unit.isRunning('q', { signal: pausing.signal }));
    expect(error).toMatchObject({ message: 'Down' });

    const before = await errorOf(unit.startQuery('q', { signal: caller.signal }));
    expect(before).toMatchObject({ code: 'canceled', outcome: 'notSent' });
    expect(cloud.seen).toHaveLength(2);
  });
});

describe('an answer', () => {
  test('that sends us elsewhere is not followed', async () => {
    const cloud = await openCloud();
    cloud.otherwise(raw(302, '', { location: 'https://evil.example/' }));
    const error = await errorOf(connect(cloud).unit.isRunning('q'));
    expect(error).toMatchObject({ code: 'http_302', kind: 'unavailable', outcome: 'unknown' });
  });
});
