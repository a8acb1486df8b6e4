import { PassThrough } from 'node:stream';
import { type Contract, contracts } from '@millrace/api';
import Fastify, { type FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import type { Caller } from '../identity/caller.ts';
import { NOTHING } from '../identity/scope.ts';
import { takeJsonOnly } from './json-bodies.ts';
import { answerProblem, register } from './register.ts';
import { createAccessTrace } from './access-trace.ts';

const MB = 1_000_000;
const contract = (path: `/${string}`): Contract => ({
  method: 'POST',
  path,
  summary: 'Counts.',
  access: 'member',
  body: z.object({ data: z.string() }),
  response: z.object({ size: z.number() }),
  statuses: [200],
  example: { response: { size: 1 } },
});

let app: ReturnType<typeof Fastify>;
/** Handlers wait here until they may answer. */
let release: () => void;
let held: Promise<void>;
let begun: number;
let admitted: number;
let onChange: () => void;
beforeEach(() => {
  begun = 0;
  admitted = 0;
  onChange = () => {};
  release = () => {};
  held = Promise.resolve();
  app = Fastify({ bodyLimit: 2 * 1024 * 1024 });
  const bodies = takeJsonOnly(app, 10 * MB);
  app.decorateRequest('admitted', null).decorateRequest('caller', null);
  app.setErrorHandler(answerProblem(() => null));
  const take = (path: `/${string}`, bodyLimit?: number) =>
    register(
      app,
      'generate',
      contract(path),
      async (_, request) => {
        admitted += 1;
        onChange();
        request.caller = callerOf(request);
        return { caller: null, scope: NOTHING, accessTrace: createAccessTrace() };
      },
      async ({ body }) => {
        begun += 1;
        onChange();
        await held;
        return { status: 200, body: { size: (body as unknown as { data: string }).data.length } };
      },
      { bodies, ...(bodyLimit !== undefined && { bodyLimit }) },
    );
  take('/generate', 10 * MB);
  take('/jobs');
});
afterEach(() => app.close());

const callerOf = ({ headers }: FastifyRequest) =>
  ({ subject: String(headers['x-caller'] ?? 'ada') }) as Caller;

function hold(): void {
  held = new Promise((resolve) => (release = resolve));
}

const reached = (isReached: () => boolean) =>
  new Promise<void>((resolve) => {
    onChange = () => {
      if (isReached()) resolve();
    };
    onChange();
  });

const send = (size: number, url = '/generate', caller = 'ada') =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'x-caller': caller },
    payload: { data: 'x'.repeat(size) },
  });

test('the route for documents takes large ones', () => {
  expect(contracts.generate).toMatchObject({ large: true });
});

test('a body of up to the limit is taken, and no more', async () => {
  expect((await send(5 * MB)).json()).toEqual({ size: 5 * MB });
  expect((await send(9.9 * MB)).statusCode).toBe(200);
  for (const refused of [await send(10 * MB), await send(2.1 * MB, '/jobs')])
    expect([refused.statusCode, refused.json().code]).toEqual([413, 'too_large']);
});

test('what one caller sends is bounded by bytes over all routes; others and small requests go on', async () => {
  hold();
  const all = [1, 2, 3, 4].map(() => send(9.5 * MB));
  await reached(() => begun === 4);
  all.push(send(1.5 * MB, '/jobs'));
  await reached(() => begun === 5);
  const refused = [await send(1.5 * MB, '/jobs'), await send(9 * MB)];
  expect(refused.map((answer) => [answer.statusCode, answer.json().code])).toEqual([
    [503, 'too_many_large'],
    [503, 'too_many_large'],
  ]);
  all.push(send(10_000, '/jobs'), send(9 * MB, '/generate', 'bob'));
  await reached(() => begun === 7);
  release();
  expect((await Promise.all(all)).map(({ statusCode }) => statusCode)).toEqual(all.map(() => 200));
  expect((await send(9 * MB)).statusCode).toBe(200);
});

test('a body on its way counts as much as has come of it', async () => {
  const slow = [1, 2, 3, 4].map(() => {
    const payload = new PassThrough();
    payload.write('{"data":"');
    const headers = { 'content-type': 'application/json', 'content-length': String(9 * MB) };
    return { payload, answer: app.inject({ method: 'POST', url: '/generate', headers, payload }) };
  });
  await reached(() => admitted === 4);
  expect((await send(9 * MB)).statusCode).toBe(200);
  for (const { payload } of slow) payload.end('x"}');
  expect((await Promise.all(slow.map(({ answer }) => answer))).map((each) => each.json())).toEqual(
    slow.map(() => ({ size: 1 })),
  );
});

test('letters that arrive in two parts are one letter', async () => {
  const payload = new PassThrough();
  const bytes = Buffer.from(JSON.stringify({ data: 'ä€😀' }));
  for (const byte of bytes) payload.write(Buffer.of(byte));
  payload.end();
  const headers = { 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url: '/jobs', headers, payload });
  expect(answer.json()).toEqual({ size: 4 });
});

test('what no route takes is not read', async () => {
  const answer = await send(1.9 * MB, '/nowhere');
  expect(answer.statusCode).toBe(404);
});
