import { type LiveEvent, createClient } from '@millrace/api';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Harness, createHarness, refusal } from '../../test/harness.ts';
import { type Caller, DEVELOPER } from '../identity/caller.ts';
import { hello } from '../../test/kinds.ts';
import { connect, isLive } from '../../test/live.ts';

/** The whole way: the client, a socket, the service, the hub and the worker, on the real clock. */
let harness: Harness;
let baseUrl: string;
beforeEach(async () => {
  harness = createHarness({ kinds: [hello] });
  baseUrl = await harness.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  // Fetch keeps connections that it has not asked anything on, and Node does not count them as idle.
  harness.app.server.closeAllConnections();
  await harness.close();
});

describe('GET /events', () => {
  test('tells the client how a job goes, from the queue to its end', async () => {
    const client = createClient({ baseUrl });
    const told: LiveEvent[] = [];
    let id = '';
    for await (const event of client.events({ query: { topics: 'job' } })) {
      told.push(event);
      if (event.type === 'live') {
        const request = { kind: 'hello', data: { name: 'Ada' } };
        ({ id } = await client.enqueue({ body: request }));
      }
      if (event.type !== 'job') continue;
      if (event.job.state === 'QUEUED') harness.worker.start();
      if (event.job.state === 'SUCCEEDED') break;
    }
    const {
      data: _data,
      result: _result,
      cursor: _cursor,
      executions: _executions,
      log: _log,
      children: _children,
      ...job
    } = await client.getJob({ params: { id } });
    expect(told.at(-1)).toEqual({ type: 'job', job });
    expect(told.slice(0, 2)).toEqual([{ type: 'hello' }, { type: 'live' }]);
  });

  test('says that it is a stream, with what every answer says', async () => {
    const reader = await connect(baseUrl);
    await reader.until(isLive);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-correlation-id': expect.any(String),
    });
    reader.close();
  });

  test('has no head to ask for alone: it would never end', async () => {
    expect((await fetch(`${baseUrl}/events`, { method: 'HEAD' })).status).toBe(404);
  });

  test('refuses what it does not know', async () => {
    const client = createClient({ baseUrl });
    const opened = client.events({ query: { topics: 'weather' } })[Symbol.asyncIterator]();
    expect(await refusal(opened.next(), 'invalid_request')).toMatch('job, queue, worker, run');
  });

  test('is limited per subject: one caller does not take the places of the others', async () => {
    await harness.close();
    const authenticate = (authorization = ''): Promise<Caller> =>
      Promise.resolve({ ...DEVELOPER, name: 'Ann', subject: authorization });
    harness = createHarness({ parts: { authenticate } });
    baseUrl = await harness.app.listen({ host: '127.0.0.1', port: 0 });
    // Kept: an answer that nobody holds any more may be collected, and its stream closed.
    const answers: Response[] = [];
    const status = async (subject: string): Promise<number> => {
      const answer = await fetch(`${baseUrl}/events`, { headers: { authorization: subject } });
      answers.push(answer);
      return answer.status;
    };
    const all = await Promise.all(Array.from({ length: 101 }, () => status('one')));
    expect(all.filter((each) => each === 200)).toHaveLength(100);
    expect(all.filter((each) => each === 503)).toHaveLength(1);
    expect(await status('two')).toBe(200);
  });

  test('that are too many are denied: they fill no log', async () => {
    await harness.close();
    const authenticate = (): Promise<Caller> =>
      Promise.resolve({ ...DEVELOPER, name: 'Vera', roles: ['viewer'] });
    harness = createHarness({ parts: { authenticate } });
    baseUrl = await harness.app.listen({ host: '127.0.0.1', port: 0 });
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => fetch(`${baseUrl}/events`)),
    );
    const refused = answers.filter((answer) => answer.status === 503);
    expect(refused).toHaveLength(30);
    await Promise.all(refused.map((answer) => answer.text()));
    const lines = () => harness.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    await vi.waitFor(() =>
      expect(lines().filter(({ msg }) => msg === 'request denied')).toHaveLength(30),
    );
    expect(lines().filter(({ level }) => level === 'error')).toEqual([]);
    const denied = lines().filter(({ msg, level }) => msg === 'request denied' && level === 'info');
    expect(denied).toHaveLength(10);
    expect(denied[0]).toMatchObject({ status: 503, code: 'too_many_streams', by: 'Vera' });
  });

  test('ends when the service stops', async () => {
    const reader = await connect(baseUrl);
    await reader.until(isLive);
    await harness.close();
    expect(await reader.ended).toMatch('This replica is stopping.');
  });
});
