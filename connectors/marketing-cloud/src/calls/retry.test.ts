import { describe, expect, test } from 'vitest';
import {
  START,
  type Step,
  connect,
  errorOf,
  failed,
  fault,
  json,
  openCloud,
  raw,
  retrieved,
} from '../../test/cloud.ts';
import { retryAfterMs } from './retry.ts';

const running = json(200, { isRunning: true });
/** "Rate Limiting Errors" of the REST API. */
const limited = (headers: Record<string, string> = {}): Step =>
  json(429, { message: 'Rate limit exceeded', errorcode: 50100 }, headers);
const blocked = json(429, {
  message: 'Your requests are temporarily blocked.',
  errorcode: 50200,
});
const page = (status: number): Step =>
  raw(status, '<!DOCTYPE html><html><body>Down<br></body></html>', { 'content-type': 'text/html' });

describe('REST', () => {
  test.each<[string, Step, object]>([
    [
      '404',
      json(404, { errorcode: 404, message: 'Not Found' }),
      { kind: 'notFound', outcome: 'refused', code: '404', retryable: false },
    ],
    [
      '403',
      json(403, { message: 'Insufficient privileges to complete this action.' }),
      { kind: 'permission', outcome: 'refused', code: 'http_403', retryable: false },
    ],
    [
      '400',
      json(400, { message: 'Wrong', errorcode: 10006, validationErrors: [{ message: 'No name' }] }),
      { kind: 'data', outcome: 'refused', code: '10006', message: 'Wrong No name' },
    ],
    [
      '409',
      json(409, { message: 'It is there', errorcode: 30004 }),
      { kind: 'duplicate', outcome: 'refused' },
    ],
    ['413 of a proxy', page(413), { kind: 'data', outcome: 'refused', code: 'http_413' }],
    [
      '500',
      json(500, { message: 'Oops', errorcode: 1 }),
      { kind: 'unavailable', outcome: 'unknown', retryable: true },
    ],
    ['404 of a gateway', page(404), { kind: 'unavailable', outcome: 'unknown', code: 'http_404' }],
    ['502 of a gateway', page(502), { kind: 'unavailable', outcome: 'unknown', status: 502 }],
    [
      '200 of a gateway',
      page(200),
      { kind: 'unavailable', outcome: 'unknown', code: 'invalid_answer' },
    ],
    ['200 that is a list', json(200, []), { code: 'invalid_answer' }],
    [
      '429 that blocks',
      blocked,
      { kind: 'limit', outcome: 'refused', code: '50200', retryAfterMs: null },
    ],
  ])('%s', async (_what, step, facts) => {
    const cloud = await openCloud();
    cloud.otherwise(step);
    expect(await errorOf(connect(cloud).unit.isRunning('q'))).toMatchObject(facts);
  });
});

describe('SOAP', () => {
  test.each<[string, Step, object]>([
    [
      'a fault of the server',
      fault('soap:Server', 'Something broke', 2),
      { kind: 'unavailable', outcome: 'unknown', code: '2', status: 500 },
    ],
    [
      'an outage',
      fault('soap:Server', 'Unplanned Outage', 2),
      { kind: 'unavailable', outcome: 'refused' },
    ],
    [
      'maintenance',
      fault('soap:Server', 'Member: 1 is In Maintenance', 9),
      { kind: 'unavailable', outcome: 'refused', code: '9' },
    ],
    [
      'no permission',
      fault('soap:Client', 'User is not authorized to use the API'),
      { kind: 'permission', outcome: 'refused' },
    ],
    [
      'a wrong request',
      fault('soap:Client', 'Unable to determine the action'),
      { kind: 'data', outcome: 'refused', code: 'Client' },
    ],
    [
      'throttling',
      fault('soap:Server', 'The request was throttled'),
      { kind: 'limit', outcome: 'refused', status: 500 },
    ],
    [
      'throttling without a fault',
      raw(500, 'Rate limit exceeded'),
      { kind: 'limit', outcome: 'refused', code: 'http_500' },
    ],
    ['a page', page(503), { kind: 'unavailable', outcome: 'unknown', code: 'http_503' }],
    ['a page that says 200', page(200), { code: 'invalid_answer', outcome: 'unknown' }],
    [
      'half an answer',
      raw(200, '<soap:Envelope><soap:Body><CreateResponse>'),
      { code: 'invalid_answer', outcome: 'unknown' },
    ],
    ['another answer', retrieved(''), { code: 'invalid_answer', outcome: 'unknown' }],
    [
      'a timeout of its database',
      failed('Execution Timeout Expired.', '0'),
      { kind: 'unavailable', outcome: 'unknown' },
    ],
    [
      'a field called Timeout',
      failed('Timeout is not a valid field name', '310007'),
      { kind: 'data', outcome: 'refused' },
    ],
    [
      'no permission for this',
      failed('API Permission Failed. Permission Names: X', '12001'),
      { kind: 'permission', code: '12001' },
    ],
  ])('%s, of a write', async (_what, step, facts) => {
    const cloud = await openCloud();
    cloud.otherwise(step);
    const query = {
      name: 'q',
      customerKey: 'q',
      sql: 's',
      target: { name: 't', customerKey: 't' },
    };
    expect(await errorOf(connect(cloud).unit.createQuery(query))).toMatchObject(facts);
  });

  test.each<[string, object]>([
    [
      'Error: The Request Property(s) Nonsense do not match with the fields of QueryDefinition retrieve',
      { kind: 'data', code: 'Error' },
    ],
    ['Has Errors', { kind: 'data' }],
    ['Error: Execution Timeout Expired. The timeout period elapsed', { kind: 'unavailable' }],
  ])('a Retrieve that ends with %s', async (overall, facts) => {
    const cloud = await openCloud();
    cloud.otherwise(retrieved('', overall));
    const error = await errorOf(connect(cloud).unit.findQuery('q'));
    expect(error).toMatchObject(facts);
    expect(error.message).toContain(overall.replace('Error: ', ''));
  });

  test('one that says "more" and gives nothing is no answer', async () => {
    const cloud = await openCloud();
    cloud.otherwise(retrieved('', 'MoreDataAvailable'));
    const error = await errorOf(connect(cloud).unit.findQuery('q'));
    expect(error).toMatchObject({ code: 'invalid_answer', retryable: true });
  });
});

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
  test.each([
    ['5', 5_000],
    ['0.2', 200],
    ['0', null],
    ['-1', null],
    ['soon', null],
    ['', null],
    [undefined, null],
    [new Date(START + 7_000).toUTCString(), 7_000],
    [new Date(START - 7_000).toUTCString(), null],
    ['999999999', 3_600_000],
  ])('%j is %j ms', (header, ms) => {
    expect(retryAfterMs(header, START)).toBe(ms);
  });

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

test('a message that quotes the token, or half a book, is made harmless', async () => {
  const cloud = await openCloud();
  cloud.otherwise(json(400, { message: `Token token-1 is bad. ${'x'.repeat(5_000)}` }));
  const { unit, lines, reports } = connect(cloud);
  const error = await errorOf(unit.isRunning('q'));
  expect(error.message).toMatch(/^Token \[secret\] is bad\. x+…$/);
  expect(error.message.length).toBeLessThan(1_100);
  expect(JSON.stringify([error.stack, lines, reports])).not.toContain('token-1');
});
