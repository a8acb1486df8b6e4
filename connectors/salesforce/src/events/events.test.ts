import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CHANNEL, listen } from '../../test/listener.ts';
import { type Seen, type Step, hangs, json, losesAnswer, mark } from '../../../test/scripted.ts';
import { type Org, connect, openOrg } from '../../test/org.ts';

// Against an org that says what the test wrote for it. events-simulator.test.ts has one that keeps the protocol.

type Message = Readonly<Record<string, unknown>>;

const HAND = {
  channel: '/meta/handshake',
  clientId: 'me',
  successful: true,
  supportedConnectionTypes: ['long-polling'],
};
const SUBSCRIBED = { channel: '/meta/subscribe', subscription: CHANNEL, successful: true };
const CONNECTED = { channel: '/meta/connect', successful: true };
const event = (n: number): Message => ({ channel: CHANNEL, data: { payload: { n } } });
const says = (...messages: Message[]): Step => json(200, messages);
const welcome = (): Step[] => [says(HAND), says(SUBSCRIBED)];

function messageOf({ body }: Seen): Message {
  return (JSON.parse(body) as Message[])[0] ?? {};
}

const channels = (org: Org): unknown[] => org.seen.map((seen) => messageOf(seen)['channel']);
const warnings = (lines: readonly string[]): string[] =>
  lines.filter((line) => line.startsWith('No Salesforce events'));

/** Ends the script: the last long poll hangs, and the test knows when it is there. */
function script(org: Org, ...steps: Step[]): Promise<void> {
  const { step, arrived } = hangs();
  org.will(...steps, step);
  return arrived;
}

test('shakes hands, subscribes to new events and polls with cookies and advice', async () => {
  const org = await openOrg();
  const cookies = { 'set-cookie': 'BAYEUX_BROWSER=b1; Path=/; Secure' };
  const advice = { interval: 7, timeout: 110_000, reconnect: 'retry' };
  const arrived = script(
    org,
    json(200, [HAND], cookies),
    says(SUBSCRIBED),
    says({ ...CONNECTED, advice }),
    says(event(1), event(2), CONNECTED),
  );
  const { salesforce, slept } = connect(org);
  const told = listen(salesforce);
  await arrived;
  expect(told.events).toEqual([{ payload: { n: 1 } }, { payload: { n: 2 } }]);
  expect(told.states).toEqual(['listening']);
  expect(slept).toEqual([7]);
  expect(org.seen.map(({ path }) => path)).toEqual(Array(5).fill('/cometd/59.0'));
  expect(org.seen.map(messageOf)).toMatchObject([
    { channel: '/meta/handshake', version: '1.0', supportedConnectionTypes: ['long-polling'] },
    { subscription: CHANNEL, clientId: 'me', ext: { replay: { [CHANNEL]: -1 } } },
    { channel: '/meta/connect', clientId: 'me', connectionType: 'long-polling' },
    { channel: '/meta/connect', clientId: 'me' },
    { channel: '/meta/connect', clientId: 'me' },
  ]);
  expect(org.seen.map(({ headers }) => headers['cookie'])).toEqual([
    undefined,
    ...Array<string>(4).fill('BAYEUX_BROWSER=b1'),
  ]);
  expect(org.seen[0]?.headers['authorization']).toBe('Bearer token-1');
  expect(salesforce.stats()).toMatchObject({ calls: 0, tokens: 1 });
});

describe('the session', () => {
  test.each<[string, Step]>([
    ['an answer 401', json(401, [{ errorCode: 'INVALID_SESSION_ID', message: 'Expired' }])],
    [
      'a denied handshake',
      says({
        channel: '/meta/handshake',
        successful: false,
        error: '403::Handshake denied',
        ext: { sfdc: { failureReason: '401::Authentication invalid' } },
        advice: { reconnect: 'none' },
      }),
    ],
  ])('is renewed once after %s, without a word', async (_, refused) => {
    const org = await openOrg();
    const arrived = script(org, refused, ...welcome());
    const { salesforce, slept, lines } = connect(org);
    const told = listen(salesforce);
    await arrived;
    expect(told.states).toEqual(['listening']);
    expect(org.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer token-1',
      ...Array<string>(3).fill('Bearer token-2'),
    ]);
    expect([slept, warnings(lines)]).toEqual([[], []]);
  });

  test('is renewed when a long poll says so', async () => {
    const org = await openOrg();
    const refused = {
      channel: '/meta/connect',
      successful: false,
      error: '401::Authentication invalid',
      advice: { reconnect: 'none', interval: 0 },
    };
    const arrived = script(org, ...welcome(), says(refused), ...welcome());
    const { salesforce } = connect(org);
    const told = listen(salesforce);
    await arrived;
    expect(told.states).toEqual(['listening', 'away', 'listening']);
    expect(salesforce.stats().tokens).toBe(2);
  });

  test('that is never good for events is not taken from the calls again and again', async () => {
    const org = await openOrg();
    const denied = json(401, []);
    const arrived = script(org, ...Array<Step>(12).fill(denied));
    const { salesforce, lines, slept } = connect(org);
    listen(salesforce);
    await arrived;
    expect(salesforce.stats().tokens).toBe(2);
    expect(warnings(lines)).toHaveLength(1);
    // Half by chance (0.5): later and later, up to 5 minutes.
    expect(slept.map((ms) => ms / 0.75)).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000,
    ]);
  });
});

describe('what goes wrong', () => {
  test('an unknown client shakes hands at once and again, and begins with new cookies', async () => {
    const org = await openOrg();
    const unknown = {
      channel: '/meta/connect',
      successful: false,
      error: '403::Unknown client',
      advice: { reconnect: 'handshake', interval: 0 },
    };
    const arrived = script(
      org,
      json(200, [HAND], { 'set-cookie': 'BAYEUX_BROWSER=old' }),
      says(SUBSCRIBED),
      says(unknown),
      says({ ...HAND, clientId: 'me again' }),
      says(SUBSCRIBED),
    );
    const { salesforce, slept, lines } = connect(org);
    const told = listen(salesforce);
    await arrived;
    expect(told.states).toEqual(['listening', 'away', 'listening']);
    expect(org.seen.slice(3).map(({ headers }) => headers['cookie'])).toEqual(
      Array(3).fill(undefined),
    );
    expect(org.seen.slice(4).map((seen) => messageOf(seen)['clientId'])).toEqual([
      'me again',
      'me again',
    ]);
    expect([slept, warnings(lines)]).toEqual([[], []]);
  });

  test('clients that are forgotten at once do not make a loop', async () => {
    const org = await openOrg();
    const unknown = says({ ...CONNECTED, successful: false, error: '403::Unknown client' });
    const round = (): Step[] => [...welcome(), unknown];
    const arrived = script(org, ...round(), ...round(), ...round(), ...round());
    const { salesforce, slept } = connect(org);
    listen(salesforce);
    await arrived;
    expect(slept.map((ms) => ms / 0.75)).toEqual([2_000, 4_000, 8_000]);
  });

  test('a client that lived for a minute begins the count again', async () => {
    const org = await openOrg();
    let now = 1_000_000;
    const later: Step = (exchange) => {
      now += 60_000;
      return says({ ...CONNECTED, successful: false, error: '403::Unknown client' })(exchange);
    };
    const round = (): Step[] => [...welcome(), later];
    const arrived = script(org, losesAnswer, ...round(), ...round(), ...round());
    const { salesforce, slept } = connect(org, {}, { now: () => now });
    listen(salesforce);
    await arrived;
    expect(slept).toEqual([750]);
  });

  test.each<[string, Step]>([
    ['a broken connection', losesAnswer],
    ['a 503', json(503, [{ errorCode: 'SERVER_UNAVAILABLE', message: 'Down' }])],
    ['a page', ({ response }) => void response.end('<html>')],
    ['nothing', says()],
    ['a channel that is not there', says({ ...HAND, successful: false, error: '400::No channel' })],
    ['an answer of 5 MB', says({ ...HAND, ext: 'x'.repeat(5 * 1024 * 1024) })],
  ])('%s is told once, and tried again later', async (_, broken) => {
    const org = await openOrg();
    const arrived = script(org, broken, broken, ...welcome());
    const { salesforce, slept, lines } = connect(org);
    const told = listen(salesforce);
    await arrived;
    expect(told.states).toEqual(['listening']);
    expect(slept).toEqual([750, 1_500]);
    expect(warnings(lines)).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('listening to'))).toHaveLength(1);
  });

  test('a refused subscription names the reason, and no secret', async () => {
    const org = await openOrg();
    const error = '400::The channel token-1 does not exist';
    const refused = says({ ...SUBSCRIBED, successful: false, error });
    const arrived = script(org, says(HAND), refused);
    const { salesforce, lines } = connect(org);
    listen(salesforce);
    await arrived;
    expect(warnings(lines)).toEqual([
      `No Salesforce events for now: 400::The channel [secret] does not exist {"channel":"${CHANNEL}","code":"refused"}`,
    ]);
  });

  test('a server that is too busy is asked again by the same client', async () => {
    const org = await openOrg();
    const busy = says({
      channel: '/meta/connect',
      successful: false,
      error: '503::Server is too busy',
      advice: { reconnect: 'retry', interval: 3_000 },
    });
    const arrived = script(org, ...welcome(), busy, busy, says(CONNECTED));
    const { salesforce, slept } = connect(org);
    const told = listen(salesforce);
    await arrived;
    expect(channels(org).filter((channel) => channel === '/meta/handshake')).toHaveLength(1);
    expect(told.states).toEqual(['listening']);
    expect(slept.slice(0, 2)).toEqual([3_000, 3_000]);
  });

  test('long polls that come back empty at once are slowed down', async () => {
    const org = await openOrg();
    const empty = says(CONNECTED);
    const arrived = script(org, ...welcome(), empty, empty, empty);
    const { salesforce, slept } = connect(org, {}, { now: () => 5 });
    listen(salesforce);
    await arrived;
    expect(slept).toEqual([1_000, 1_000]);
  });

  test('a login that gives no token is no one else’s trouble', async () => {
    const org = await openOrg();
    let refusals = 0;
    const { reached, reach } = mark();
    org.login((exchange) => {
      refusals += 1;
      if (refusals === 5) reach(); // none is asked for after that, for a minute
      return json(400, { error: 'invalid_grant', error_description: 'No.' })(exchange);
    });
    const { salesforce, lines } = connect(org);
    const told = listen(salesforce);
    await reached;
    expect(warnings(lines)).toHaveLength(1);
    expect(told.states).toEqual([]);
  });
});

test('what a listener throws is logged, and the next event comes', async () => {
  const org = await openOrg();
  const arrived = script(org, ...welcome(), says(event(1), event(2), event(3), CONNECTED));
  const { salesforce, lines } = connect(org);
  const got: unknown[] = [];
  const listening = salesforce.listen({
    channel: CHANNEL,
    onEvent(data) {
      got.push(data);
      if (got.length === 1) throw new Error('thrown');
      // As an async function would, which the type lets through.
      if (got.length === 2) return Promise.reject(new Error('rejected')) as unknown as void;
    },
    onState() {
      throw new Error('thrown too');
    },
  });
  onTestFinished(() => listening.stop());
  await arrived;
  expect(got).toHaveLength(3);
  expect(lines.filter((line) => line.includes('failed on a Salesforce event'))).toHaveLength(3);
});

describe('stopping', () => {
  test('ends an open long poll, and no event comes after it', async () => {
    const org = await openOrg();
    const gone = mark();
    const { reached, reach } = mark();
    org.will(...welcome(), ({ request }) => {
      request.socket.once('close', gone.reach);
      reach();
    });
    const { salesforce } = connect(org);
    const told = listen(salesforce);
    await reached;
    await told.stop();
    await gone.reached;
    expect(told.states).toEqual(['listening', 'away']);
    await told.stop();
    expect(org.seen).toHaveLength(3);
  });

  test('ends a wait, and the wait for a token', async () => {
    const org = await openOrg();
    const asleep = mark();
    org.otherwise(losesAnswer);
    const sleeper = connect(
      org,
      {},
      {
        sleep: (_, signal) => {
          asleep.reach();
          return new Promise((__, reject) => signal?.addEventListener('abort', reject));
        },
      },
    );
    const told = listen(sleeper.salesforce);
    await asleep.reached;
    await told.stop();

    const asked = mark();
    const stopped = mark();
    org.login(async (exchange) => {
      asked.reach();
      await stopped.reached;
      return json(400, {})(exchange);
    });
    const waiter = listen(connect(org).salesforce);
    await asked.reached;
    await waiter.stop();
    stopped.reach();
    expect(waiter.states).toEqual([]);
  });

  test('is part of closing, and nothing begins after that', async () => {
    const org = await openOrg();
    const arrived = script(org, ...welcome());
    const { salesforce } = connect(org);
    const told = listen(salesforce);
    await arrived;
    await salesforce.close();
    expect(told.states).toEqual(['listening', 'away']);
    listen(salesforce);
    await salesforce.close();
    expect(org.seen).toHaveLength(3);
  });
});

test('a long poll may take longer than a call, by what Salesforce says of it', async () => {
  const org = await openOrg();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const advice = { timeout: 200_000, reconnect: 'retry' };
  const arrived = script(org, ...welcome(), says({ ...CONNECTED, advice }));
  listen(connect(org, { timeoutMs: 20_000 }).salesforce);
  await arrived;
  const limits = timers.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms >= 20_000);
  // The token, the handshake, the subscription; then the first long poll and the second, 20 s longer than the server's.
  expect(limits).toEqual([20_000, 20_000, 20_000, 130_000, 220_000]);
});

test('it takes no slot: calls go on beside it', async () => {
  const org = await openOrg();
  const arrived = script(org, ...welcome());
  const { salesforce } = connect(org, { concurrency: 1 });
  listen(salesforce);
  await arrived;
  org.will(json(200, { done: true, records: [] }));
  expect(await salesforce.query('SELECT Id FROM Account')).toEqual([]);
});
