import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { json, losesAnswer } from '../../../test/scripted.ts';
import { type Org, connect, cutsOff, errorOf, openOrg, refuses } from '../../test/org.ts';

const get = { method: 'GET', path: 'sobjects/X__c/a' } as const;
const post = { method: 'POST', path: 'sobjects/X__c', body: { Name: 'x' } } as const;
const unavailable = refuses(503, 'SERVER_UNAVAILABLE');

/** A port where nobody listens. */
async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

function pointsTo(org: Org, instance: string): void {
  org.login(json(200, { access_token: 'token', instance_url: instance }));
}

describe('a lost answer', () => {
  test.each([
    ['the connection breaks', losesAnswer],
    ['the answer is cut off', cutsOff('{"id":')],
    ['a gateway says 503', json(503, 'down')],
    ['a gateway says 502', json(502, 'down')],
  ])('when %s: a GET is repeated, a write is not', async (_what, step) => {
    const org = await openOrg();
    org.will(step, json(200, { fine: true }));
    const { salesforce, slept, reports } = connect(org);
    expect(await salesforce.request(get)).toEqual({ fine: true });
    expect([slept, reports[0]?.retried, reports[0]?.requests]).toEqual([[375], 1, 2]);

    org.will(step);
    const error = await errorOf(salesforce.request(post));
    expect(error).toMatchObject({ kind: 'unavailable', outcome: 'unknown', retryable: true });
    expect(org.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('of a repeatable write is asked for again', async () => {
    const org = await openOrg();
    org.will(losesAnswer, unavailable, json(200, { fine: true }));
    const { salesforce, slept } = connect(org);
    expect(await salesforce.request({ ...post, repeatable: true })).toEqual({ fine: true });
    expect(slept).toEqual([375, 750]);
  });

  test('is repeated three times and no more', async () => {
    const org = await openOrg();
    org.otherwise(losesAnswer);
    const { salesforce, slept, reports } = connect(org);
    expect((await errorOf(salesforce.request(get))).code).toBe('unreachable');
    expect([org.seen.length, slept]).toEqual([4, [375, 750, 1_500]]);
    expect(reports).toMatchObject([
      { status: null, errorCode: 'unreachable', retried: 3, requests: 4 },
    ]);
  });

  test('stays in doubt when the repeat is refused: the first may have been done', async () => {
    const org = await openOrg();
    org.will(losesAnswer, refuses(400, 'DUPLICATE_VALUE'));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.request({ ...post, repeatable: true }));
    expect(error).toMatchObject({ code: 'DUPLICATE_VALUE', kind: 'duplicate', outcome: 'unknown' });
    org.will(losesAnswer, refuses(404, 'NOT_FOUND'));
    expect((await errorOf(salesforce.request(get))).outcome).toBe('refused');
  });

  test.each([
    ['HTML', '<html>Maintenance</html>', 'text/html'],
    ['half JSON', '{"jobs":[{"id":"a"},', 'application/json'],
  ])('that came as %s is no success, and in doubt', async (_what, text, type) => {
    const org = await openOrg();
    org.will(({ response }) => void response.writeHead(200, { 'content-type': type }).end(text));
    const { salesforce } = connect(org);
    const error = await errorOf(salesforce.request({ ...post, repeatable: true }));
    expect(error).toMatchObject({ code: 'invalid_answer', outcome: 'unknown', status: 200 });
    expect(error.message).toContain(type);
    expect(org.seen).toHaveLength(1);
  });

  test('that unpacks to more than memory should hold is refused', async () => {
    const org = await openOrg();
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
    org.will(({ response }) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const { salesforce } = connect(org);
    expect((await errorOf(salesforce.request(get))).code).toBe('answer_too_large');
  });
});

describe('a request that never left', () => {
  test('is repeated whatever it is, and ends as not sent', async () => {
    const org = await openOrg();
    pointsTo(org, await deadUrl());
    const { salesforce, slept, reports } = connect(org);
    const error = await errorOf(salesforce.request(post));
    expect(error).toMatchObject({ code: 'unreachable', outcome: 'notSent', retryable: true });
    expect(error.message).toBe('Salesforce could not be reached (ECONNREFUSED).');
    expect(slept).toHaveLength(3);
    expect(reports).toMatchObject([{ status: null, requests: 0 }]);
    expect(salesforce.stats().calls).toBe(0);
  });

  test('because its caller had left before is not sent', async () => {
    const org = await openOrg();
    const { salesforce } = connect(org);
    const signal = AbortSignal.abort();
    const error = await errorOf(salesforce.request({ ...post, signal }));
    expect(error).toMatchObject({ code: 'canceled', outcome: 'notSent', retryable: false });
    expect(org.seen).toHaveLength(0);
  });
});

describe('a row lock', () => {
  test('is waited out whatever the method, since nothing was done', async () => {
    const org = await openOrg();
    org.will(refuses(400, 'UNABLE_TO_LOCK_ROW'), json(201, { id: 'a' }));
    const { salesforce } = connect(org);
    expect(await salesforce.request(post)).toEqual({ id: 'a' });
  });

  test('that stays is reported', async () => {
    const org = await openOrg();
    org.otherwise(refuses(400, 'UNABLE_TO_LOCK_ROW'));
    const { salesforce } = connect(org);
    expect(await errorOf(salesforce.request(post))).toMatchObject({ kind: 'lock' });
    expect(org.seen).toHaveLength(4);
  });
});
