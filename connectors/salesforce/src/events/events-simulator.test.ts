import { fileURLToPath } from 'node:url';
import { type SalesforceOptions, startSalesforce } from '@millrace/simulator-salesforce';
import { expect, onTestFinished, test } from 'vitest';
import { type Told, listen } from '../../test/listener.ts';

import { type Connected, SECRET, connect } from '../../test/org.ts';

// Events against an org that keeps the protocol, which jsforce's own client proves.

const OBJECTS = fileURLToPath(
  new URL('../../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);

type Simulator = Awaited<ReturnType<typeof startSalesforce>>;

async function openOrg(options: SalesforceOptions = {}): Promise<Simulator> {
  const org = await startSalesforce({
    objects: OBJECTS,
    apps: [{ clientId: 'client', secret: SECRET }],
    ...options,
  });
  onTestFinished(() => org.close());
  return org;
}

async function openWorld(
  options: SalesforceOptions = {},
): Promise<Connected & { org: Simulator; told: Told }> {
  const org = await openOrg(options);
  const connected = connect({ url: org.loginUrl });
  const told = listen(connected.salesforce);
  await told.until(() => told.states.at(-1) === 'listening');
  return { org, told, ...connected };
}

const publish = ({ salesforce }: Connected, count: number): Promise<unknown> =>
  salesforce.request({
    method: 'POST',
    path: 'sobjects/Docgen_Wakeup__e',
    body: { Count__c: count },
  });

/** Each round is a request, so that the server gets its turn. */
async function untilPolling(org: Simulator): Promise<void> {
  while (org.listeners.waiting === 0) await fetch(`${org.origin}/_sim/api/state`);
}

async function receives({ told }: { told: Told }, count: number): Promise<void> {
  const before = told.events.length;
  await told.until(() => told.events.length > before);
  expect(told.events.at(-1)).toMatchObject({ payload: { Count__c: count } });
}

test('an event published by REST is there, and costs no call', async () => {
  const world = await openWorld();
  await untilPolling(world.org);
  await publish(world, 3);
  await world.told.until(() => world.told.events.length === 1);
  expect(world.told.events).toMatchObject([{ payload: { Count__c: 3 }, event: { replayId: 1 } }]);
  expect(world.org.calls.total).toBe(1);
  expect(world.salesforce.stats().calls).toBe(1);
});

test('long polls that end without an event are followed by others', async () => {
  const world = await openWorld({ longPollMs: 5 });
  const before = world.org.calls.requests;
  while (world.org.calls.requests < before + 5) await fetch(`${world.org.origin}/services/data`);
  await publish(world, 4);
  await world.told.until(() => world.told.events.length === 1);
  expect(world.told.states).toEqual(['listening']);
});

test('after the session has ended', async () => {
  const world = await openWorld();
  await untilPolling(world.org);
  world.org.expireSessions();
  await world.told.until(() => world.told.states.length === 3);
  const received = receives(world, 5);
  await publish(world, 5);
  await received;
  expect(world.told.states).toEqual(['listening', 'away', 'listening']);
  expect(world.salesforce.stats().tokens).toBe(2);
  expect(world.slept).toEqual([]);
});

test('after the org has forgotten its clients', async () => {
  const world = await openWorld();
  await untilPolling(world.org);
  world.org.listeners.forget();
  await world.told.until(() => world.told.states.length === 3);
  const received = receives(world, 6);
  await publish(world, 6);
  await received;
  expect(world.salesforce.stats().tokens).toBe(1);
});

test('after a restart, with another session', async () => {
  const world = await openWorld();
  await untilPolling(world.org);
  await world.org.close();
  await world.told.until(() => world.told.states.at(-1) === 'away');
  await openOrg({ port: Number(new URL(world.org.origin).port) });
  await world.told.until(() => world.told.states.at(-1) === 'listening');
  const received = receives(world, 7);
  await publish(world, 7);
  await received;
  expect(world.lines.filter((line) => line.startsWith('No Salesforce events'))).toHaveLength(1);
});

test('through faults on the way', async () => {
  const world = await openWorld();
  await untilPolling(world.org);
  for (const kind of ['unavailable', 'cut-before', 'cut-after', 'session-expired'] as const) {
    world.org.faults.add({ kind, path: '^/cometd', times: 1 });
  }
  world.org.listeners.forget();
  await world.told.until(() => world.told.states.length === 3);
  const received = receives(world, 8);
  await publish(world, 8);
  await received;
});

test('stops at once, and the org sees it', async () => {
  const { org, told, salesforce } = await openWorld();
  await untilPolling(org);
  await told.stop();
  while (org.listeners.waiting > 0) await fetch(`${org.origin}/_sim/api/state`);
  await salesforce.request({ method: 'POST', path: 'sobjects/Docgen_Wakeup__e', body: {} });
  expect(told.events).toEqual([]);
});
