import { Connection } from 'jsforce';
import { StreamingExtension } from 'jsforce/lib/api/streaming.js';
import { afterEach, expect, test } from 'vitest';
import { SECRET, type World, startWorld } from '../test/world.ts';

// jsforce's own streaming client (faye), told nothing but where the org is.

const CHANNEL = '/event/Docgen_Wakeup__e';

/** What is used of faye's client, which has no types of its own. */
interface StreamingClient {
  subscribe(channel: string, listener: (data: Data) => void): PromiseLike<unknown>;
  disconnect(): unknown;
}

interface Data {
  readonly payload: Record<string, unknown>;
}

const clients: StreamingClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) void client.disconnect();
});

async function connect(world: World): Promise<Connection> {
  const connection = new Connection({
    version: '66.0',
    oauth2: { loginUrl: world.loginUrl, clientId: 'service', clientSecret: SECRET },
  });
  await connection.authorize({ grant_type: 'client_credentials' });
  return connection;
}

function clientOf(connection: Connection, extensions: unknown[] = []): StreamingClient {
  const client = connection.streaming.createClient(extensions) as unknown as StreamingClient;
  clients.push(client);
  return client;
}

/** A list that can be waited on. */
function inbox(): { put(data: Data): void; until(count: number): Promise<unknown[]> } {
  const got: unknown[] = [];
  let look = (): void => {};
  return {
    put(data) {
      got.push(data.payload['Count__c']);
      look();
    },
    until: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (got.length >= count) resolve(got);
        };
        look();
      }),
  };
}

test('subscribes, and receives what is published by REST and by the org', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  const { put, until } = inbox();
  await clientOf(connection).subscribe(CHANNEL, put);
  await connection.sobject('Docgen_Wakeup__e').create({ Count__c: 7 });
  expect(await until(1)).toEqual([7]);
  await world.org.insert('Docgen_Wakeup__e', { Count__c: 8 });
  expect(await until(2)).toEqual([7, 8]);
});

test('shakes hands again when the org has forgotten it', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  const { put, until } = inbox();
  await clientOf(connection).subscribe(CHANNEL, put);
  while (world.listeners.waiting === 0) await fetch(`${world.origin}/_sim/api/state`);
  world.listeners.forget();
  while (world.listeners.waiting === 0) await fetch(`${world.origin}/_sim/api/state`);
  await connection.sobject('Docgen_Wakeup__e').create({ Count__c: 9 });
  expect(await until(1)).toEqual([9]);
});

test('replays all that is kept with its own extension', async () => {
  const world = await startWorld();
  const connection = await connect(world);
  await connection.sobject('Docgen_Wakeup__e').create({ Count__c: 1 });
  const { put, until } = inbox();
  const replay = new StreamingExtension.Replay(CHANNEL, -2);
  await clientOf(connection, [replay]).subscribe(CHANNEL, put);
  expect(await until(1)).toEqual([1]);
});

test('is told what there is no channel for', async () => {
  const connection = await connect(await startWorld());
  const subscription = clientOf(connection).subscribe('/event/Nothing__e', () => {});
  await expect(Promise.resolve(subscription)).rejects.toMatchObject({
    message: expect.stringContaining('does not exist {/event/Nothing__e}') as string,
  });
});
