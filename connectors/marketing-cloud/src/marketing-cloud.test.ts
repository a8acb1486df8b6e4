import { describe, expect, test } from 'vitest';
import { json } from '../../test/scripted.ts';
import { MID, SECRET, connect, errorOf, openCloud } from '../test/cloud.ts';

describe('the correlation id', () => {
  test('is a header and in the report, and cannot become another header', async () => {
    const cloud = await openCloud();
    cloud.otherwise(json(200, { isRunning: true }));
    const { unit, reports } = connect(cloud);
    await unit.isRunning('q', { correlationId: 'run-1\r\nx-evil: 1' });
    await unit.isRunning('q');
    const sent = cloud.seen.map(({ headers }) => headers['x-correlation-id']);
    expect(sent).toEqual(['run-1__x-evil: 1', expect.stringMatching(/^[\da-f-]{36}$/)]);
    expect(reports.map(({ correlationId }) => correlationId)).toEqual(sent);
    expect(reports.map(({ mid }) => mid)).toEqual([MID, MID]);
  });
});

test('close refuses new calls and waits for those under way', async () => {
  const cloud = await openCloud();
  let answer = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    cloud.will((exchange) => {
      answer = () => void json(200, { isRunning: true })(exchange);
      resolve();
    });
  });
  const { unit, cloud: connected } = connect(cloud);
  const first = unit.isRunning('q');
  await arrived;
  let isClosed = false;
  const closed = connected.close().then(() => {
    isClosed = true;
  });
  expect(await errorOf(unit.isRunning('q'))).toMatchObject({ code: 'closed', outcome: 'notSent' });
  expect(isClosed).toBe(false);
  answer();
  expect(await first).toBe(true);
  await closed;
});

test.each([
  [{ authUrl: 'nonsense' }, 'authUrl is not a URL'],
  [{ authUrl: 'http://acme.example' }, 'https://'],
  [{ authUrl: 'https://me:pw@acme.example' }, 'user or a password'],
  [{ clientId: '' }, 'clientId'],
  [{ clientSecret: '' }, 'clientSecret'],
  [{ timeoutMs: 0 }, 'timeoutMs'],
  [{ timeoutMs: 2 ** 31 }, 'timeoutMs'],
  [{ concurrency: 0.5 }, 'concurrency'],
])('a configuration %j is refused at the start', (config, says) => {
  const open = (): unknown => connect({ url: 'http://127.0.0.1:1' }, config);
  expect(open).toThrow(expect.objectContaining({ code: 'invalid_config' }));
  expect(open).toThrow(says);
  expect(open).not.toThrow(SECRET);
});

test('a business unit is named by its number', () => {
  const { cloud, unit } = connect({ url: 'http://127.0.0.1:1' });
  expect(cloud.businessUnit(MID)).toBe(unit);
  expect(() => cloud.businessUnit('12/../3')).toThrow('A MID is the number');
});
