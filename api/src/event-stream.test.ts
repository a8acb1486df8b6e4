import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiError, createClient } from './client.ts';
import { contracts } from './contracts.ts';
import { type Open, type Timing, createParser, stream } from './event-stream.ts';
import { type Problem, problemOf } from './problem.ts';

const encoder = new TextEncoder();

describe('the parser', () => {
  function parse(text: string, ...cuts: number[]): string[] {
    const parser = createParser();
    const bytes = encoder.encode(text);
    const edges = [0, ...cuts, bytes.length];
    return edges.slice(1).flatMap((edge, index) => parser.push(bytes.subarray(edges[index], edge)));
  }

  test.each<[string, string, string[]]>([
    ['one event', 'data: a\n\n', ['a']],
    ['several lines', 'data: a\ndata:b\ndata\n\n', ['a\nb\n']],
    ['one space less', 'data:  a \n\n', [' a ']],
    ['no event without data', 'id: 1\n\n: hi\n\n', []],
    ['comments and unknown fields', ': hi\nid: 1\nevent: x\nretry: 5\nnope\ndata: a\n\n', ['a']],
    ['colons in the data', 'data: {"a":1}\n\n', ['{"a":1}']],
    ['CRLF', 'id: 1\r\ndata: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
    ['CR', 'data: a\rdata: b\r\rdata: c\n\n', ['a\nb', 'c']],
    ['a mark at the beginning', '\uFEFFdata: a\n\n', ['a']],
    ['letters of several bytes', 'data: Zoë 東京 👩‍👧\n\n', ['Zoë 東京 👩‍👧']],
    ['an end without an empty line', 'data: a\n\ndata: b\n', ['a']],
  ])('reads %s, wherever it is cut', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
    const { length } = encoder.encode(text);
    for (let first = 0; first <= length; first += 1) {
      for (let second = first; second <= length; second += 1) {
        expect(parse(text, first, second)).toEqual(expected);
      }
    }
  });

  test('does not read a line without end', () => {
    const parser = createParser();
    const piece = encoder.encode('x'.repeat(1_000_000));
    expect(() => {
      for (let n = 0; n < 10; n += 1) parser.push(piece);
    }).toThrow('no stream');
  });
});

/** A service on a real socket: each connection is answered by the next of the answers. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

async function serve(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const answer = answers.shift();
    if (answer === undefined) response.destroy();
    else answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const events =
  (text: string, end: 'open' | 'end' | 'break' = 'open'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (end === 'end') response.end();
      if (end === 'break') response.destroy();
    });
  };

const refuse =
  (problem: Problem): Answer =>
  (response) => {
    const type = { 'content-type': 'application/problem+json' };
    response.writeHead(problem.status, type).end(JSON.stringify(problem));
  };

const LIVE = 'data: {"type":"live"}\n\n';
const HELLO = 'data: {"type":"hello"}\n\n';

/** Timers that fire when the test says so. */
function createTiming() {
  const timers = new Set<{ ms: number; fire: () => void }>();
  const waits: number[] = [];
  let onSet: () => void = () => {};
  const timing: Timing = {
    random: () => 1,
    after(ms, fire) {
      const timer = { ms, fire };
      timers.add(timer);
      waits.push(ms);
      onSet();
      return () => timers.delete(timer);
    },
  };
  return {
    timing,
    waits,
    /** Fires the timer of so many milliseconds, as soon as there is one. */
    async fire(ms: number): Promise<void> {
      for (;;) {
        const timer = [...timers].find((each) => each.ms === ms);
        if (timer !== undefined) {
          timers.delete(timer);
          return timer.fire();
        }
        await new Promise<void>((resolve) => {
          onSet = resolve;
        });
      }
    },
  };
}

function openAt(baseUrl: string): Open {
  return async (_contract, _input, { headers, signal }) => {
    const response = await fetch(baseUrl, {
      ...(headers && { headers }),
      ...(signal && { signal }),
    });
    if (response.status !== 200) throw new ApiError((await response.json()) as Problem);
    if (response.body === null) throw new Error('no body');
    return response.body;
  };
}

function read(baseUrl: string, timing: Timing, signal?: AbortSignal) {
  const options = signal === undefined ? {} : { signal };
  return stream({ contract: contracts.events, input: {}, options, open: openAt(baseUrl), timing });
}

const SECOND = 1_000;

describe('the client', () => {
  test('gives the events, asks with a token, and closes when the reader stops', async () => {
    let gone: () => void = () => {};
    const isGone = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { baseUrl, requests } = await serve((response, request) => {
      response.on('close', gone);
      events(`${HELLO}: alive\n\n${LIVE}`)(response, request);
    });
    const client = createClient({ baseUrl, token: async () => 'secret' });
    const told: unknown[] = [];
    for await (const event of client.events({ query: { topics: 'job', kind: 'k' } })) {
      told.push(event);
      if (event.type === 'live') break;
    }
    expect(told).toEqual([{ type: 'hello' }, { type: 'live' }]);
    expect(requests[0]?.url).toBe('/events?topics=job&kind=k');
    expect(requests[0]?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: 'Bearer secret',
    });
    await isGone;
  });

  test('leaves out what it does not know', async () => {
    const unknown =
      'data: {"type":"weather","sun":true}\n\ndata: no JSON\n\ndata: {"type":"job"}\n\n';
    const { baseUrl } = await serve(events(`${HELLO}${unknown}${LIVE}`));
    const told: unknown[] = [];
    for await (const event of read(baseUrl, createTiming().timing)) {
      told.push(event);
      if (told.length === 2) break;
    }
    expect(told).toEqual([{ type: 'hello' }, { type: 'live' }]);
  });

  test('opens the line again, and waits longer each time', async () => {
    const { baseUrl, requests } = await serve(
      events(`${HELLO}${LIVE}`, 'break'),
      (response) => response.destroy(),
      refuse(problemOf('store_unavailable', 'Away.', 'c')),
      events(HELLO, 'end'),
      events(LIVE),
    );
    const { timing, fire, waits } = createTiming();
    const iterator = read(baseUrl, timing);
    const next = async (): Promise<unknown> => (await iterator.next()).value;
    expect(await next()).toEqual({ type: 'hello' });
    expect(await next()).toEqual({ type: 'live' });
    const again = next();
    for (const ms of [1, 2, 4]) await fire(ms * SECOND);
    expect(await again).toEqual({ type: 'hello' });
    // It had worked: the waiting begins again.
    const last = next();
    await fire(SECOND);
    expect(await last).toEqual({ type: 'live' });
    await iterator.return();
    expect(requests).toHaveLength(5);
    expect(waits.filter((ms) => ms < 45 * SECOND)).toEqual([1, 2, 4, 1].map((s) => s * SECOND));
  });

  test('never waits longer than half a minute, and not always the same', async () => {
    const { baseUrl } = await serve(events(LIVE, 'end'));
    const { timing, fire, waits } = createTiming();
    const stop = new AbortController();
    const iterator = read(baseUrl, { ...timing, random: () => 0 }, stop.signal);
    await iterator.next();
    const ended = iterator.next();
    for (const ms of [0.5, 1, 2, 4, 8, 15, 15]) await fire(ms * SECOND);
    stop.abort();
    expect((await ended).done).toBe(true);
    expect(Math.max(...waits.filter((ms) => ms < 45 * SECOND))).toBe(15 * SECOND);
  });

  test('throws a refusal, the first time whichever it is', async () => {
    const { baseUrl } = await serve(refuse(problemOf('store_unavailable', 'Away.', 'c')));
    await expect(read(baseUrl, createTiming().timing).next()).rejects.toThrow('Away.');
  });

  test('throws when there is nobody, the first time', async () => {
    const fails: Open = () => Promise.reject(new TypeError('fetch failed'));
    const { timing } = createTiming();
    const iterator = stream({
      contract: contracts.events,
      input: {},
      options: {},
      open: fails,
      timing,
    });
    await expect(iterator.next()).rejects.toThrow('fetch failed');
  });

  test('throws later a refusal that trying again does not change', async () => {
    const { baseUrl } = await serve(
      events(LIVE, 'end'),
      refuse(problemOf('token_expired', 'The token has expired.', 'c')),
    );
    const { timing, fire } = createTiming();
    const iterator = read(baseUrl, timing);
    await iterator.next();
    const failing = iterator.next();
    await fire(SECOND);
    await expect(failing).rejects.toThrow(ApiError);
  });

  test('takes a line on which nothing comes for 45 s as dead', async () => {
    let gone: () => void = () => {};
    const isGone = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { baseUrl } = await serve((response, request) => {
      response.on('close', gone);
      events(LIVE)(response, request);
    }, events(HELLO));
    const { timing, fire } = createTiming();
    const iterator = read(baseUrl, timing);
    await iterator.next();
    const again = iterator.next();
    await fire(45 * SECOND);
    await isGone;
    await fire(SECOND);
    expect((await again).value).toEqual({ type: 'hello' });
    await iterator.return();
  });

  test('does not take a reader who takes its time for a dead line', async () => {
    const { baseUrl } = await serve(events(`${HELLO}${LIVE}`));
    const { timing, waits } = createTiming();
    let set = 0;
    const counting: Timing = {
      ...timing,
      after(ms, fire) {
        set += 1;
        const cancelTimer = timing.after(ms, fire);
        return () => {
          set -= 1;
          cancelTimer();
        };
      },
    };
    const iterator = read(baseUrl, counting);
    await iterator.next();
    expect(waits.length).toBeGreaterThan(0);
    expect(set).toBe(0);
    await iterator.return();
  });

  test('ends without an error when it is asked to, whatever it is doing', async () => {
    const { timing } = createTiming();
    const { baseUrl } = await serve(events(LIVE), events(LIVE, 'end'), (response) => void response);

    const early = AbortSignal.abort();
    expect(await read(baseUrl, timing, early).next()).toEqual({ done: true, value: undefined });

    const whileReading = new AbortController();
    const reading = read(baseUrl, timing, whileReading.signal);
    await reading.next();
    const first = reading.next();
    whileReading.abort();
    expect(await first).toEqual({ done: true, value: undefined });

    const whileWaiting = new AbortController();
    const waiting = read(baseUrl, timing, whileWaiting.signal);
    await waiting.next();
    const second = waiting.next();
    whileWaiting.abort();
    expect(await second).toEqual({ done: true, value: undefined });

    const whileOpening = new AbortController();
    const third = read(baseUrl, timing, whileOpening.signal).next();
    whileOpening.abort();
    expect(await third).toEqual({ done: true, value: undefined });
  });
});
