import { type Contract, contracts } from '@millrace/api';
import Fastify from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { NOTHING } from '../identity/scope.ts';
import { createLargeBodies } from './large-bodies.ts';
import { answerProblem, register } from './register.ts';
import { createWitness } from './witness.ts';

const MB = 1_000_000;
const contract: Contract = {
  method: 'POST',
  path: '/generate',
  summary: 'Counts.',
  access: 'member',
  large: true,
  body: z.object({ data: z.string() }),
  response: z.object({ size: z.number() }),
  statuses: [200],
  example: { response: { size: 1 } },
};

let app: ReturnType<typeof Fastify>;
let begun: number;
let onBegun: () => void;
/** Handlers wait here until they may answer. */
let release: () => void;
let held: Promise<void>;
beforeEach(() => {
  begun = 0;
  onBegun = () => {};
  release = () => {};
  held = Promise.resolve();
  app = Fastify({ bodyLimit: 2 * 1024 * 1024 });
  app.decorateRequest('admitted', null);
  app.setErrorHandler(answerProblem(() => null));
  register(
    app,
    'generate',
    contract,
    async () => ({ caller: null, scope: NOTHING, witnessed: createWitness() }),
    async ({ body }) => {
      begun += 1;
      onBegun();
      await held;
      return { status: 200, body: { size: (body as unknown as { data: string }).data.length } };
    },
    createLargeBodies(10 * MB),
  );
});
afterEach(() => app.close());

/** Resolves when so many handlers have begun. */
const beginnings = (count: number) =>
  new Promise<void>((resolve) => {
    onBegun = () => {
      if (begun >= count) resolve();
    };
    onBegun();
  });

const send = (size: number) =>
  app.inject({ method: 'POST', url: '/generate', payload: { data: 'x'.repeat(size) } });

test('the route for documents is one of those', () => {
  expect(contracts.generate).toMatchObject({ large: true });
});

test('a body of up to the limit is taken, and no more', async () => {
  expect((await send(5 * MB)).json()).toEqual({ size: 5 * MB });
  expect((await send(9.9 * MB)).statusCode).toBe(200);
  const refused = await send(10 * MB);
  expect([refused.statusCode, refused.json().code]).toEqual([413, 'too_large']);
});

test('what is worked on at the same time is bounded by bytes; small ones always pass', async () => {
  held = new Promise((resolve) => (release = resolve));
  const first = [1, 2, 3, 4].map(() => send(9 * MB));
  await beginnings(4);
  const fifth = await send(9 * MB);
  expect([fifth.statusCode, fifth.json().code]).toEqual([503, 'too_many_large']);
  const small = send(MB);
  await beginnings(5);
  release();
  expect((await Promise.all([...first, small])).map(({ statusCode }) => statusCode)).toEqual(
    Array.from({ length: 5 }, () => 200),
  );
  expect((await send(9 * MB)).statusCode).toBe(200);
});
