import { EVERYTHING } from '@millrace/engine';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVirtualTime } from '@millrace/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Place,
  type Reader,
  connect,
  createPlace,
  isJob,
  isLive,
  jobEvents,
} from '../../../test/live.ts';
import { commentFrame } from './frames.ts';
import { type Stream, createStream } from './stream.ts';

describe('a hub', () => {
  let place: Place;
  beforeEach(() => {
    place = createPlace();
  });
  afterEach(() => place.close());

  test('drops a reader who does not read, while one who does gets everything', async () => {
    let told = 0;
    const onDropped = (): void => void (told += 1);
    const replica = await place.start('r1', { onDropped });
    const readers = [1, 2].map(() => connect(replica.url, { topics: 'job' }));
    const [fast, slow] = (await Promise.all(readers)) as [Reader, Reader];
    await Promise.all([fast.until(isLive), slow.until(isLive)]);
    slow.pause();
    const sent: string[] = [];
    // Long names make large events: the kernel takes some megabytes for the one who does not read.
    const long = 'x'.repeat(200);
    const request = { kind: 'work', data: null, correlationId: long, subject: long };
    while (replica.hub.dropped() === 0) {
      const enqueued = await replica.queue.enqueueAll(Array.from({ length: 250 }, () => request));
      sent.push(...enqueued.map(({ id }) => `${id} QUEUED`));
      await place.run(100);
      await fast.until(isJob(enqueued.at(-1)?.id ?? ''));
    }
    expect([replica.hub.streams(), told]).toEqual([1, 1]);
    const why = 'A live stream was closed. Its reader is more than 256 KiB behind.';
    expect(replica.warnings).toEqual([why]);
    expect(jobEvents(fast.events)).toEqual(sent);
    slow.resume();
    await slow.ended;
    expect(jobEvents(slow.events).length).toBeLessThan(sent.length);
  });
});

describe('a stream', () => {
  const time = createVirtualTime();
  const clock = time.process();
  const closers: (() => void)[] = [];
  afterEach(() => closers.splice(0).forEach((close) => close()));

  /** A stream on a real socket, whose reader has not begun to read. */
  async function open({ begins = true } = {}) {
    const drops: string[] = [];
    let closed: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const opened = new Promise<{ stream: Stream; response: ServerResponse }>((resolve) => {
      const server = createServer((_, response) => {
        const onDropped = (why: string): void => void drops.push(why);
        resolve({
          response,
          stream: createStream({
            response,
            headers: {},
            filter: { scope: EVERYTHING },
            clock,
            onDropped,
            onClosed: closed,
          }),
        });
      });
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        void connect(`http://127.0.0.1:${port}`).then(
          (reader) => {
            reader.pause();
            closers.push(reader.close);
          },
          // A stream that is destroyed at once has no answer.
          () => {},
        );
      });
      closers.push(() => server.close());
    });
    const both = await opened;
    if (begins) await both.stream.begin([commentFrame('hello')]);
    return { ...both, drops, isClosed };
  }

  /** Fills what the kernel takes, and what Node takes without holding back who writes: 16 KiB in Node 20, 64 in Node 22. */
  async function fill({ stream, response }: Awaited<ReturnType<typeof open>>): Promise<void> {
    const frame = commentFrame('x'.repeat(60_000));
    while (!response.writableNeedDrain) {
      stream.send(frame);
      await new Promise(setImmediate);
    }
  }

  const run = (ms: number): Promise<void> => time.run(time.now() + ms);

  test('of which nothing is taken for 30 seconds is dropped', async () => {
    const opened = await open();
    await fill(opened);
    opened.stream.check();
    await run(29_999);
    opened.stream.check();
    expect(opened.drops).toEqual([]);
    await run(1);
    opened.stream.check();
    expect(opened.drops).toEqual(['Its reader has taken nothing for 30 s.']);
    await opened.isClosed;
  });

  test('that has nothing to send is not', async () => {
    const { stream, drops } = await open();
    await run(100_000);
    stream.check();
    expect(drops).toEqual([]);
    expect(stream.isOpen()).toBe(true);
  });

  test('whose end is not taken either is dropped all the same', async () => {
    const opened = await open();
    await fill(opened);
    opened.stream.end(commentFrame('over'));
    expect(opened.stream.isOpen()).toBe(false);
    await run(30_000);
    opened.stream.check();
    await opened.isClosed;
    expect(opened.drops).toHaveLength(1);
  });

  test('that leaves while the present state is sent is not waited for', async () => {
    const { stream, drops, response } = await open({ begins: false });
    const large = Array.from({ length: 400 }, () => commentFrame('x'.repeat(60_000)));
    const beginning = stream.begin(large);
    while (!response.writableNeedDrain) await new Promise(setImmediate);
    stream.send(commentFrame('held'));
    stream.destroy();
    await beginning;
    stream.send(commentFrame('late'));
    expect(drops).toEqual([]);
  });

  test('that is answered with an error instead is closed once, and sends nothing', async () => {
    const { stream, response, isClosed } = await open({ begins: false });
    stream.send(commentFrame('held'));
    stream.discard();
    await isClosed;
    await stream.begin([commentFrame('late')]);
    expect(response.headersSent).toBe(false);
    response.writeHead(503).end();
  });

  test('takes more in one turn than may be left over from the turns before', async () => {
    const { stream, drops, response } = await open();
    const frame = commentFrame('x'.repeat(100_000));
    for (let n = 0; n < 5; n += 1) stream.send(frame);
    expect(response.writableLength).toBeGreaterThan(256 * 1_024);
    expect(drops).toEqual([]);
  });
});
