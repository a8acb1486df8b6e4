import { describe, expect, test } from 'vitest';
import { type Step, json } from '../../../test/scripted.ts';
import {
  MID,
  SECRET,
  connect,
  errorOf,
  openCloud,
  retrieved,
  tokenAnswer,
  tokenExpired,
} from '../../test/cloud.ts';

const running = json(200, { isRunning: true });
/** As an expired token is refused by REST. */
const notAuthorized = json(401, { documentation: '', errorcode: 0, message: 'Not Authorized' });
const badClient = json(401, {
  error: 'invalid_client',
  error_description: `Client authentication failed for ${SECRET}.`,
  error_uri: 'https://developer.salesforce.com/docs',
});

describe('a token', () => {
  test('is asked for with the MID and used until shortly before its end', async () => {
    const cloud = await openCloud();
    cloud.otherwise(running);
    const { unit, cloud: connected, pass } = connect(cloud);
    await unit.isRunning('q');
    pass((1079 - 31) * 1_000);
    await unit.isRunning('q');
    expect(cloud.logins).toEqual([
      {
        grant_type: 'client_credentials',
        client_id: 'client',
        client_secret: SECRET,
        account_id: MID,
      },
    ]);
    pass(1_000);
    await unit.isRunning('q');
    expect(cloud.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
    expect(connected.stats()).toMatchObject({ calls: 3, tokens: 2 });
  });

  test('is one for all who wait, and one for each business unit', async () => {
    const cloud = await openCloud();
    cloud.otherwise(running);
    const { unit, cloud: connected } = connect(cloud);
    const other = connected.businessUnit('510000124');
    await Promise.all([
      ...Array.from({ length: 30 }, () => unit.isRunning('q')),
      ...Array.from({ length: 30 }, () => other.isRunning('q')),
    ]);
    const asked = new Set(cloud.logins.map((login) => login['account_id']));
    expect([cloud.logins.length, asked]).toEqual([2, new Set([MID, other.mid])]);
  });

  test('tells its scopes without a call', async () => {
    const cloud = await openCloud();
    const { cloud: connected } = connect(cloud);
    expect(await connected.scopes(MID)).toContain('automations_execute');
    expect(connected.stats()).toMatchObject({ calls: 0, tokens: 1 });
  });

  test('goes to Marketing Cloud alone', async () => {
    const cloud = await openCloud();
    for (const field of ['rest_instance_url', 'soap_instance_url']) {
      cloud.login((exchange) =>
        json(200, tokenAnswer(cloud.url, 't', { [field]: 'https://evil.example/' }))(exchange),
      );
      const { unit } = connect(cloud);
      const error = await errorOf(unit.isRunning('q'));
      expect(error).toMatchObject({ code: 'untrusted_instance', outcome: 'notSent' });
      expect(error.message).toContain(field);
    }
  });

  test('that a caller does not wait for any longer is still there for others', async () => {
    const cloud = await openCloud();
    cloud.otherwise(running);
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      cloud.login((exchange) => {
        answer = () => void json(200, tokenAnswer(cloud.url, 'late'))(exchange);
        resolve();
      });
    });
    const { unit } = connect(cloud);
    const caller = new AbortController();
    const left = errorOf(unit.isRunning('q', { signal: caller.signal }));
    const stays = unit.isRunning('q');
    await asked;
    caller.abort();
    expect(await left).toMatchObject({ code: 'canceled', outcome: 'notSent' });
    answer();
    expect(await stays).toBe(true);
  });
});

describe('a refused token', () => {
  test.each<[string, Step]>([
    ['by REST', notAuthorized],
    ['by SOAP', tokenExpired],
  ])('%s costs one new token and one repeat, also of a write', async (_by, refusal) => {
    const cloud = await openCloud();
    const { unit, reports, slept } = connect(cloud);
    if (refusal === notAuthorized) {
      cloud.will(refusal, running);
      await unit.isRunning('q');
    } else {
      cloud.will(refusal, retrieved(''));
      await unit.findQuery('q');
    }
    expect([cloud.logins.length, cloud.seen.length, slept]).toEqual([2, 2, []]);
    expect(reports).toMatchObject([{ status: 200, retried: 1, requests: 2, errorCode: null }]);
    cloud.will(tokenExpired);
    await errorOf(unit.startQuery('q'));
    expect(cloud.seen.map(({ headers }) => headers['soapaction']).slice(-2)).toEqual([
      'Perform',
      'Perform',
    ]);
  });

  test('that fifty calls meet at once costs one', async () => {
    const cloud = await openCloud();
    cloud.otherwise(running);
    const { unit } = connect(cloud);
    await unit.isRunning('q');
    cloud.otherwise((exchange) => {
      const isOld = exchange.seen.headers['authorization'] === 'Bearer token-1';
      return (isOld ? notAuthorized : running)(exchange);
    });
    await Promise.all(Array.from({ length: 50 }, () => unit.isRunning('q')));
    expect(cloud.logins).toHaveLength(2);
  });

  test('that a new one does not help ends after one repeat and says what may be missing', async () => {
    const cloud = await openCloud();
    cloud.otherwise(notAuthorized);
    const { unit } = connect(cloud);
    const error = await errorOf(unit.isRunning('q'));
    expect(error).toMatchObject({ kind: 'session', outcome: 'refused', status: 401 });
    expect(error.message).toMatch(/^Not Authorized A new token was refused too: .* 510000123 /);
    expect([cloud.logins.length, cloud.seen.length]).toEqual([2, 2]);
  });

  test('again and again does not become a loop', async () => {
    const cloud = await openCloud();
    cloud.otherwise(notAuthorized);
    const { unit, pass } = connect(cloud);
    for (let n = 0; n < 10; n++) await errorOf(unit.isRunning('q'));
    expect(cloud.logins).toHaveLength(5);
    expect(await errorOf(unit.isRunning('q'))).toMatchObject({
      code: 'tokens_refused',
      kind: 'session',
      outcome: 'notSent',
      retryAfterMs: 60_000,
    });
    pass(60_000);
    await errorOf(unit.isRunning('q'));
    expect(cloud.logins).toHaveLength(7);
  });
});

describe('a refused client', () => {
  test('is remembered for a minute, for all business units, and its secret is given to nobody', async () => {
    const cloud = await openCloud();
    cloud.login(badClient);
    cloud.otherwise(running);
    const { unit, cloud: connected, pass, lines, reports, slept } = connect(cloud);
    const error = await errorOf(unit.isRunning('q'));
    expect(error).toMatchObject({
      code: 'invalid_client',
      kind: 'session',
      outcome: 'notSent',
      status: 401,
    });
    expect(error.message).toContain('Client authentication failed');
    pass(10_000);
    const other = await errorOf(connected.businessUnit('510000124').isRunning('q'));
    expect(other).toMatchObject({ code: 'invalid_client', retryAfterMs: 50_000 });
    // What is kept of it must not tell a time that has passed.
    expect(other.message).not.toMatch(/again in|\d s/);
    expect(other.retryAfterMs).toBe(50_000);
    expect([cloud.logins.length, slept]).toEqual([1, []]);
    expect(JSON.stringify([error, other, lines, reports, error.stack])).not.toContain(SECRET);
    expect(lines.join()).toContain('No token');

    pass(50_000);
    cloud.login((exchange) => json(200, tokenAnswer(cloud.url, 't'))(exchange));
    expect(await unit.isRunning('q')).toBe(true);
  });

  test('of one business unit does not stop the others', async () => {
    const cloud = await openCloud();
    cloud.otherwise(running);
    cloud.login((exchange) => {
      const isOther = cloud.logins.at(-1)?.['account_id'] === '510000124';
      const refusal = json(400, { error: 'invalid_request', error_description: 'account_id' });
      return (isOther ? refusal : json(200, tokenAnswer(cloud.url, 't')))(exchange);
    });
    const { unit, cloud: connected } = connect(cloud);
    const other = connected.businessUnit('510000124');
    for (let n = 0; n < 3; n++) {
      expect(await errorOf(other.isRunning('q'))).toMatchObject({ code: 'token_refused' });
    }
    expect(await unit.isRunning('q')).toBe(true);
    expect(cloud.logins).toHaveLength(2);
  });

  test('by too many questions waits as long as it is asked to', async () => {
    const cloud = await openCloud();
    cloud.login(json(429, { message: 'Rate limit exceeded' }, { 'retry-after': '300' }));
    const { unit, slept } = connect(cloud);
    expect(await errorOf(unit.isRunning('q'))).toMatchObject({
      code: 'token_limit',
      kind: 'limit',
      outcome: 'notSent',
      retryAfterMs: 300_000,
    });
    await errorOf(unit.isRunning('q'));
    expect([cloud.logins.length, slept]).toEqual([1, []]);
  });
});

describe('a login that is down', () => {
  test.each<[string, Step]>([
    ['503', json(503, { message: 'Down' })],
    ['a page', json(404, 'not here')],
    ['no token in it', json(200, { token_type: 'Bearer' })],
    ['a token that would break a header', json(200, { access_token: 'a\r\nb' })],
  ])('%s: the call was not sent, and is tried again', async (_what, step) => {
    const cloud = await openCloud();
    cloud.login(step);
    const { unit, slept } = connect(cloud);
    expect(await errorOf(unit.startQuery('q'))).toMatchObject({
      code: 'login_unavailable',
      kind: 'unavailable',
      outcome: 'notSent',
    });
    expect([cloud.logins.length, slept.length, cloud.seen.length]).toEqual([4, 3, 0]);
  });
});
