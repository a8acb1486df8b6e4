import { createVirtualTime } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { createFollowers } from './followers.ts';
import { createPlaces } from './places.ts';

/** Events in the hands of the test. */
function source() {
  const told: unknown[] = [];
  let wake = (): void => {};
  async function* events() {
    for (;;) {
      if (told.length > 0) yield told.shift();
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    events: events(),
    tell(event: unknown) {
      told.push(event);
      wake();
    },
  };
}

function open({ expiresAt = null as number | null, perCaller = 1 } = {}) {
  const time = createVirtualTime();
  const clock = time.process();
  const followers = createFollowers({ clock, now: time.now, places: createPlaces(perCaller) });
  const gone = new AbortController();
  const reader = { caller: 'ada', expiresAt, signal: gone.signal };
  const { events, tell } = source();
  const frames = followers.follow(events, reader)[Symbol.asyncIterator]();
  const next = async (): Promise<string | null> => {
    const { value, done } = await frames.next();
    return done === true ? null : Buffer.from(value).toString();
  };
  return { time, followers, gone, reader, tell, next };
}

test('each event is sent, and a word that the line is alive where none comes', async () => {
  const { time, tell, next } = open();
  tell({ type: 'run', n: 1 });
  expect(await next()).toBe('data: {"type":"run","n":1}\n\n');
  const beat = next();
  await time.run(15_000);
  expect(await beat).toBe(': alive\n\n');
  const later = next();
  tell({ type: 'run', n: 2 });
  expect(await later).toBe('data: {"type":"run","n":2}\n\n');
});

test('a stream ends with its token, and with the replica', async () => {
  const short = open({ expiresAt: 5_000 });
  const last = short.next();
  await short.time.run(5_000);
  expect(await last).toBe(': The token has expired.\n\n');
  expect(await short.next()).toBeNull();
  const { followers, next } = open();
  const word = next();
  followers.end('This replica is stopping.');
  expect(await word).toBe(': This replica is stopping.\n\n');
  expect(await next()).toBeNull();
});

test('a caller has so many, counted until the line has ended', () => {
  const { followers, reader, gone } = open();
  expect(() => followers.follow(source().events, reader)).toThrow('live streams open');
  gone.abort();
  expect(followers.size()).toBe(0);
  followers.follow(source().events, { ...reader, signal: new AbortController().signal });
  expect(followers.size()).toBe(1);
});
