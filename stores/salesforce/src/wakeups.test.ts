import type { Hint } from '@millrace/engine';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type World, startOrg } from '../test/org.ts';
import { createWakeups } from './wakeups.ts';

/** The package's event, from the org to whoever watches the store. */

let world: World;
beforeEach(async () => {
  world = await startOrg();
});
afterEach(() => world.close());

const READY: Hint = { type: 'ready', kinds: ['document'] };

/** Hints as they come, each to be waited for. */
function hearing() {
  const heard: Hint[] = [];
  let tell: () => void = () => {};
  return {
    heard,
    listener(hint: Hint) {
      heard.push(hint);
      tell();
    },
    next: () => new Promise<void>((resolve) => (tell = resolve)),
  };
}

/** Each look is a request, which gives the listener its turn. */
async function listeners(count: number): Promise<void> {
  while (world.org.listeners.waiting !== count) await fetch(`${world.org.origin}/services/data`);
}

function publish(): Promise<string> {
  return world.org.org.insert('Docgen_Wakeup__e', { Count__c: 1 });
}

test('a document that was enqueued is reported, and nobody listens once nobody watches', async () => {
  const { listener, next, heard } = hearing();
  const store = world.open();
  const leave = store.watch(listener);
  await listeners(1);
  const told = next();
  await publish();
  await told;
  expect(heard).toEqual([READY]);
  leave();
  await listeners(0);
});

test('many events make few hints: a claim is a call that somebody counts', async () => {
  const { listener, next, heard } = hearing();
  const watch = createWakeups(world.connect(), {
    channel: '/event/Docgen_Wakeup__e',
    kind: 'document',
    apartMs: 100,
  });
  const leave = watch(listener);
  await listeners(1);
  const first = next();
  for (let n = 0; n < 20; n += 1) await publish();
  await first;
  if (heard.length < 2) await next();
  expect(heard.length).toBeLessThan(10);
  leave();
});

test('after a time away it is reported without being asked, since an event may have passed', async () => {
  const { listener, next, heard } = hearing();
  const leave = world.open().watch(listener);
  await listeners(1);
  const told = next();
  world.org.listeners.forget();
  await told;
  expect(heard).toEqual([READY]);
  leave();
});
