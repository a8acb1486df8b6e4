import { expect, test } from 'vitest';
import { CREDENTIALS, DATA, type World, startWorld } from '../../test/world.ts';

// The Streaming API by hand. jsforce's own client is in streaming.test.ts.

const CHANNEL = '/event/Docgen_Wakeup__e';

interface Message {
  readonly channel: string;
  readonly successful?: boolean;
  readonly error?: string;
  readonly clientId?: string;
  readonly advice?: object;
  readonly data?: { payload: Record<string, unknown>; event: { replayId: number } };
}

interface Subscriber {
  readonly clientId: string;
  send(channel: string, fields?: object): Promise<Message[]>;
  connect(): Promise<Message[]>;
}

interface Posted {
  readonly status: number;
  readonly cookie: string;
  readonly body: Message[];
}

async function tokenOf(world: World): Promise<string> {
  return (await world.token(CREDENTIALS)).body.access_token;
}

async function post(
  world: World,
  message: object,
  headers: Record<string, string>,
  version = '66.0',
): Promise<Posted> {
  const response = await fetch(`${world.origin}/cometd/${version}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify([message]),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: response.status, cookie, body: (await response.json()) as Message[] };
}

const HANDSHAKE = {
  channel: '/meta/handshake',
  version: '1.0',
  supportedConnectionTypes: ['long-polling'],
};

/** Has shaken hands, subscribed and had the first connect, which does not wait. */
async function subscriber(world: World, replay?: number, channel = CHANNEL): Promise<Subscriber> {
  const authorization = `Bearer ${await tokenOf(world)}`;
  const { body, cookie } = await post(world, HANDSHAKE, { authorization });
  const clientId = body[0]?.clientId ?? '';
  const send = async (to: string, fields: object = {}): Promise<Message[]> =>
    (await post(world, { channel: to, clientId, ...fields }, { authorization, cookie })).body;
  const ext = replay === undefined ? {} : { ext: { replay: { [channel]: replay } } };
  const [subscribed] = await send('/meta/subscribe', { subscription: channel, ...ext });
  expect(subscribed).toMatchObject({ successful: true, subscription: channel, clientId });
  return { clientId, send, connect: () => send('/meta/connect') };
}

const counts = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ data }) => (data === undefined ? [] : [data.payload['Count__c']]));

const publish = (world: World, count: number): Promise<unknown> =>
  world.call('POST', '/sobjects/Docgen_Wakeup__e', { Count__c: count });

async function untilPolling(world: World, count = 1): Promise<void> {
  while (world.listeners.waiting !== count) await fetch(`${world.origin}/_sim/api/state`);
}

test('an event ends the long poll, and is reported as Salesforce tells it', async () => {
  const world = await startWorld();
  const { connect, clientId } = await subscriber(world);
  expect(await connect()).toEqual([
    {
      channel: '/meta/connect',
      clientId,
      successful: true,
      advice: { interval: 0, timeout: 110_000, reconnect: 'retry' },
    },
  ]);
  const poll = connect();
  await untilPolling(world);
  await publish(world, 3);
  expect(await poll).toEqual([
    {
      channel: CHANNEL,
      data: {
        schema: expect.any(String) as string,
        payload: {
          CreatedDate: '2026-05-20T10:00:00.789Z',
          CreatedById: world.org.records('User')[0]?.['Id'],
          Count__c: 3,
        },
        event: { replayId: 1 },
      },
    },
    { channel: '/meta/connect', clientId, successful: true },
  ]);
  expect(world.calls.byResource).toEqual({ sobjects: 1 });
});

test('the org publishes too, and what came in between waits for the next long poll', async () => {
  const world = await startWorld();
  const { connect } = await subscriber(world);
  await world.org.insert('Docgen_Wakeup__e', { Count__c: 1 });
  await world.org.insert('Docgen_Wakeup__e', { Count__c: 2 });
  expect(counts(await connect())).toEqual([1, 2]);
});

test('a long poll without an event ends when its time is up', async () => {
  const world = await startWorld({ longPollMs: 20 });
  const { connect } = await subscriber(world);
  expect(await connect()).toMatchObject([{ advice: { timeout: 20 } }]);
  expect(await connect()).toMatchObject([{ channel: '/meta/connect', successful: true }]);
});

test('what is kept is reported again to who asks for it', async () => {
  const world = await startWorld();
  for (const count of [1, 2, 3]) await publish(world, count);
  const told = async (replay?: number): Promise<unknown[]> =>
    counts(await (await subscriber(world, replay)).connect());
  expect(await told()).toEqual([]);
  expect(await told(-1)).toEqual([]);
  expect(await told(-2)).toEqual([1, 2, 3]);
  expect(await told(2)).toEqual([3]);
  world.advance(73 * 3_600_000);
  expect(await told(-2)).toEqual([]);
});

test('a namespace is part of the channel', async () => {
  const world = await startWorld({ namespace: 'mill' });
  const channel = '/event/mill__Docgen_Wakeup__e';
  const { connect } = await subscriber(world, -1, channel);
  await world.org.insert('mill__Docgen_Wakeup__e', { mill__Count__c: 1 });
  expect(await connect()).toMatchObject([{ channel }, { channel: '/meta/connect' }]);
});

test('who unsubscribes gets no more, and who leaves is not known any more', async () => {
  const world = await startWorld();
  const { send, connect } = await subscriber(world);
  await send('/meta/unsubscribe', { subscription: CHANNEL });
  await publish(world, 1);
  expect(counts(await connect())).toEqual([]);
  const poll = connect();
  await untilPolling(world);
  await send('/meta/disconnect');
  const unknown = [
    { error: '403::Unknown client', advice: { interval: 0, reconnect: 'handshake' } },
  ];
  expect(await poll).toMatchObject(unknown);
  expect(await connect()).toMatchObject(unknown);
});

test('who is silent for 40 s is forgotten, and an open long poll is not silent', async () => {
  const world = await startWorld();
  const { connect } = await subscriber(world);
  await connect();
  const poll = connect();
  await untilPolling(world);
  world.advance(60_000);
  await publish(world, 1);
  expect(counts(await poll)).toEqual([1]);
  world.advance(40_001);
  expect(await connect()).toMatchObject([{ error: '403::Unknown client' }]);
});

test('a session that ends is reported to the open long poll, and denies the handshake', async () => {
  const world = await startWorld();
  const { connect } = await subscriber(world);
  await connect();
  const poll = connect();
  await untilPolling(world);
  world.expireSessions();
  const invalid = {
    error: '401::Authentication invalid',
    advice: { reconnect: 'none', interval: 0 },
    successful: false,
  };
  expect(await poll).toMatchObject([invalid]);
  expect(await connect()).toMatchObject([invalid]);
  const denied = await post(world, HANDSHAKE, { authorization: 'Bearer old' });
  expect(denied.body).toMatchObject([
    {
      error: '403::Handshake denied',
      ext: { sfdc: { failureReason: '401::Authentication invalid' } },
      advice: { reconnect: 'none' },
    },
  ]);
});

test('the cookie of the handshake is asked for', async () => {
  const world = await startWorld();
  const authorization = `Bearer ${await tokenOf(world)}`;
  const { body, cookie } = await post(world, HANDSHAKE, { authorization });
  expect(cookie).toMatch(/^BAYEUX_BROWSER=/);
  const message = { channel: '/meta/connect', clientId: body[0]?.clientId };
  const { body: refused } = await post(world, message, { authorization });
  expect(refused[0]?.error).toContain('no BAYEUX_BROWSER cookie present');
});

test.each([
  ['/event/Nothing__e', 'does not exist {/event/Nothing__e}'],
  ['/event/Account', 'does not exist {/event/Account}'],
  ['/topic/Anything', 'does not exist {/topic/Anything}'],
  ['event', "must start with a leading '/'"],
  ['', 'not specified'],
])('no subscription to "%s"', async (subscription, error) => {
  const { send } = await subscriber(await startWorld());
  const [refused] = await send('/meta/subscribe', { subscription });
  expect(refused).toMatchObject({ successful: false });
  expect(refused?.error).toMatch(/^400::/);
  expect(refused?.error).toContain(error);
});

test.each([['9'], ['-3'], ['x']])('no replay from %s', async (replay) => {
  const { send } = await subscriber(await startWorld());
  const ext = { replay: { [CHANNEL]: replay } };
  const [refused] = await send('/meta/subscribe', { subscription: CHANNEL, ext });
  expect(refused?.error).toMatch(/^400::The replayId/);
});

test.each([['36.0'], ['99.0'], ['x'], ['']])('no version "%s"', async (version) => {
  const world = await startWorld();
  expect((await post(world, HANDSHAKE, {}, version)).status).toBe(400);
});

test('what is no message is refused, and so is another kind of connection', async () => {
  const world = await startWorld();
  const url = `${world.origin}/cometd/66.0`;
  expect((await fetch(url, { method: 'POST', body: '{' })).status).toBe(400);
  expect((await fetch(url)).status).toBe(405);
  const authorization = `Bearer ${await tokenOf(world)}`;
  const sockets = { ...HANDSHAKE, supportedConnectionTypes: ['websocket'] };
  const { body } = await post(world, sockets, { authorization });
  expect(body[0]?.error).toBe('400::Invalid connection type websocket');
  const { send } = await subscriber(world);
  expect(await send(CHANNEL, { data: {} })).toMatchObject([{ successful: false }]);
});

test('close drops the long polls, and so does who goes away', async () => {
  const world = await startWorld();
  const { connect } = await subscriber(world);
  await connect();
  const poll = connect();
  const dropped = expect(poll).rejects.toThrow('fetch failed');
  await untilPolling(world);
  await world.close();
  await dropped;
  expect(world.listeners.waiting).toBe(0);
});

test('long polls are no calls, and leave room for those', async () => {
  const world = await startWorld();
  const polls: Promise<Message[]>[] = [];
  for (let n = 0; n < 26; n++) {
    const { connect } = await subscriber(world);
    await connect();
    polls.push(connect());
  }
  await untilPolling(world, 26);
  world.advance(21_000); // Salesforce allows 25 requests that take longer than 20 s
  expect((await world.call('GET', `${DATA}/limits`)).status).toBe(200);
  await publish(world, 1);
  expect((await Promise.all(polls)).map(counts)).toEqual(polls.map(() => [1]));
});
