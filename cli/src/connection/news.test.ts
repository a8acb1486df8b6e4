import type { CallOptions, LiveEvent } from '@millrace/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStreams, startContractServer } from '../../test/contract-server.ts';
import { aJob, running, succeeded } from '../../test/jobs.ts';
import { documents, run } from '../../test/run.ts';
import { createService } from '../../test/service.ts';
import type { Context } from '../context.ts';
import { openNews } from './news.ts';

const HELLO: LiveEvent = { type: 'hello' };
const ABOUT: LiveEvent = { type: 'job', job: aJob() };
const OTHER: LiveEvent = { type: 'job', job: aJob({ id: 'pg-2' }) };

/** News from a stream in the hands of the test; pauses are over when the test says so. */
function open({ isTerminal = false } = {}) {
  const interruption = new AbortController();
  const pauses: { ms: number; end: () => void }[] = [];
  const told: (LiveEvent | Error)[] = [];
  let wake = (): void => {};
  let breakLine = (): void => {};
  async function* events({ onBreak = () => {} }: CallOptions) {
    breakLine = onBreak;
    for (;;) {
      const next = told.shift();
      if (next instanceof Error) throw next;
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  const world = {
    interrupted: interruption.signal,
    wait: (ms: number) => new Promise<void>((end) => pauses.push({ ms, end })),
  };
  const context = { world, out: { isLive: isTerminal } };
  const news = openNews(
    context as unknown as Context,
    events,
    (event) => event.type === 'job' && event.job.id === 'pg-1',
  );
  return {
    news,
    pauses,
    interrupt: () => interruption.abort(),
    breakLine: () => breakLine(),
    /** Resolves once it has been read. */
    async tell(...events_: (LiveEvent | Error)[]) {
      told.push(...events_);
      wake();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('news', () => {
  test('comes by the live events, and only of what matters', async () => {
    const { news, pauses, tell } = open();
    await tell(HELLO);
    expect(await news.next(200)).toBe('news'); // what happened before the stream was open
    let isOver = false;
    const next = news.next(200).finally(() => (isOver = true));
    await tell(OTHER);
    expect(isOver).toBe(false);
    await tell(ABOUT);
    expect(await next).toBe('news');
    expect(pauses).toEqual([]);
  });

  test('comes after a pause until the stream is open, while its line is broken, and where it is refused', async () => {
    const { news, pauses, tell, breakLine } = open();
    const paused = async () => {
      const next = news.next(200);
      pauses.shift()?.end();
      return next;
    };
    expect(await paused()).toBe('news');
    await tell(HELLO);
    await news.next(200);
    const waiting = news.next(200);
    breakLine();
    expect(await waiting).toBe('news');
    expect(await paused()).toBe('news');
    await tell(HELLO);
    await news.next(200);
    const refused = news.next(200);
    await tell(new Error('too many streams'));
    expect(await refused).toBe('news');
    expect(await paused()).toBe('news');
  });

  test('a terminal is drawn again every second', async () => {
    const { news, pauses, tell } = open({ isTerminal: true });
    await tell(HELLO);
    await news.next(200);
    const next = news.next(200);
    expect(pauses.map(({ ms }) => ms)).toEqual([1_000]);
    pauses.shift()?.end();
    expect(await next).toBe('still');
  });

  test('ends when someone interrupts', async () => {
    const { news, tell, interrupt } = open();
    await tell(HELLO);
    await news.next(200);
    const next = news.next(200);
    interrupt();
    await expect(next).rejects.toThrow();
  });
});

test('millrace watch follows a job by them', async () => {
  const service = createService([aJob()]);
  const streams = createStreams();
  const server = await startContractServer(service.handlers, streams);
  onTestFinished(() => server.stop());
  const { code, stdout } = await run(['watch', 'pg-1', '--json'], server.url, {
    onSay: (text) => {
      const { state } = JSON.parse(text) as { state: string };
      if (state === 'QUEUED') service.jobs = [running()];
      if (state === 'PROCESSING') service.jobs = [succeeded()];
      const [job = aJob()] = service.jobs;
      streams.tell({ type: 'job', job });
    },
  });
  expect(code).toBe(0);
  expect(documents(stdout)).toMatchObject([
    { state: 'QUEUED' },
    { state: 'PROCESSING' },
    { state: 'SUCCEEDED' },
  ]);
  expect(streams.queries).toEqual(['?topics=job&id=pg-1']);
  // A line that is left open would keep the process.
  await streams.closed;
});
