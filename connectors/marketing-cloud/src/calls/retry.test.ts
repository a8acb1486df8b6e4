import { describe, expect, test } from 'vitest';
import { type Step, json, raw } from '../../../test/scripted.ts';
import { START, blocked, connect, errorOf, fault, openCloud, page } from '../../test/cloud.ts';

const running = json(200, { isRunning: true });
/** "Rate Limiting Errors" of the REST API. */
const limited = (headers: Record<string, string> = {}): Step =>
  json(429, { message: 'Rate limit exceeded', errorcode: 50100 }, headers);
describe('what is sent again', () => {
  test.each<[string, Step]>([
    ['a 5xx', json(500, { message: 'Oops' })],
    ['the page of a gateway', page(502)],
    ['half of an answer', raw(200, '{"isRun')],
    ['a limit', limited()],
  ])('a read, after %s, three times at most', async (_what, step) => {
    const cloud = await openCloud();
    cloud.will(step, step, step, running);
    const { unit, reports } = connect(cloud);
    expect(await unit.isRunning('q')).toBe(true);
    cloud.otherwise(step);
    await errorOf(unit.isRunning('q'));
    expect(cloud.seen).toHaveLength(8);
    expect(reports).toMatchObject([
      { requests: 4, retried: 3, errorCode: null, status: 200 },
      { requests: 4, retried: 3 },
    ]);
  });

  test.each<[string, Step, number]>([
    ['that was throttled', fault('soap:Server', 'The request was throttled'), 4],
    ['during maintenance', fault('soap:Server', 'In Maintenance', 9), 4],
    ['that broke inside', fault('soap:Server', 'Something broke', 2), 1],
    ['that a gateway answered', page(502), 1],
    ['whose answer is none', raw(200, 'OK'), 1],
    ['that was wrong', fault('soap:Client', 'No'), 1],
  ])('a start %s: only if it cannot have been done', async (_what, step, times) => {
    const cloud = await openCloud();
    cloud.otherwise(step);
    await errorOf(connect(cloud).unit.startQuery('q'));
    expect(cloud.seen).toHaveLength(times);
  });

  test('the pauses grow, and are longer after a limit', async () => {
    const cloud = await openCloud();
    cloud.otherwise(page(502));
    const { unit, slept } = connect(cloud);
    await errorOf(unit.isRunning('q'));
    expect(slept).toEqual([375, 750, 1_500]);
    cloud.otherwise(blocked);
    await errorOf(unit.isRunning('q'));
    expect(slept.slice(3)).toEqual([1_500, 3_000, 6_000]);
  });
});

describe('Retry-After', () => {
  test.each<[string, Step]>([
    ['in seconds', limited({ 'retry-after': '5' })],
    ['as a date', limited({ 'retry-after': new Date(START + 5_000).toUTCString() })],
    ['in the body', json(429, { message: 'Rate limit exceeded', retryAfter: 5 })],
  ])('%s is waited for', async (_form, step) => {
    const cloud = await openCloud();
    cloud.will(step, running);
    const { unit, slept } = connect(cloud);
    expect(await unit.isRunning('q')).toBe(true);
    expect(slept).toEqual([6_500]);
  });

  test('holds back the other calls of the business unit, and only those', async () => {
    const cloud = await openCloud();
    cloud.will(limited({ 'retry-after': '300' }));
    cloud.otherwise(running);
    const { unit, cloud: connected, slept, pass, reports } = connect(cloud);
    expect(await errorOf(unit.isRunning('q'))).toMatchObject({
      code: '50100',
      message: 'Marketing Cloud slows us down: Rate limit exceeded',
      kind: 'limit',
      outcome: 'refused',
      retryAfterMs: 300_000,
    });
    pass(100_000);
    expect(await errorOf(unit.startQuery('q'))).toMatchObject({
      code: 'paused',
      kind: 'limit',
      outcome: 'notSent',
      retryAfterMs: 200_000,
    });
    expect(await connected.businessUnit('510000124').isRunning('q')).toBe(true);
    pass(180_000);
    expect(await unit.isRunning('q')).toBe(true);
    expect([slept, cloud.seen.length]).toEqual([[21_500], 3]);
    expect(reports.map(({ requests, errorCode }) => [requests, errorCode])).toEqual([
      [1, '50100'],
      [0, 'paused'],
      [1, null],
      [1, null],
    ]);
  });
});
