import { type Contract } from '@millrace/workload-kit/contract';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { contracts } from './contracts.ts';
import { ERRORS } from './errors.ts';
import { problem, problemOf } from './problem.ts';

const all: [string, Contract][] = Object.entries(contracts);

test('no two routes share a method and path', () => {
  const seen = all.map(([, { method, path }]) => `${method} ${path}`);
  expect(new Set(seen).size).toBe(seen.length);
});

describe.each(all)('%s', (_, contract) => {
  test('has a summary and describes each part of its path', () => {
    expect(contract.summary).toMatch(/^[A-Z].*\.$/);
    const inPath = [...contract.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
    const described = contract.params ? Object.keys((contract.params as z.ZodObject).shape) : [];
    expect(described).toEqual(inPath);
  });

  test('has schemas that JSON Schema can say, for the documentation', () => {
    for (const io of ['params', 'query', 'body', 'response'] as const) {
      const schema = contract[io];
      if (schema) z.toJSONSchema(schema, { io: io === 'response' ? 'output' : 'input' });
    }
  });

  test.each(['params', 'query', 'body', 'response'] as const)(
    'has an example with good %s',
    (part) => {
      const schema = contract[part];
      const shown = contract.example[part];
      if (schema === undefined) return expect(shown).toBeUndefined();
      const parsed = schema.safeParse(shown ?? (part === 'query' ? {} : undefined));
      expect(parsed.error?.issues ?? []).toEqual([]);
      // Answers may have unknown fields, examples not: those would be misspelt.
      if (part === 'response') expect(parsed.data).toEqual(shown);
    },
  );
});

describe('a list', () => {
  const lists = all.filter(([name]) => name.startsWith('list') || name === 'counts');

  test.each(lists)('%s takes a limit and a cursor, and gives the next', (_, contract) => {
    expect(contract.query?.safeParse({ limit: '3', cursor: 'abc' }).success).toBe(true);
    expect(contract.query?.safeParse({ limit: '0' }).success).toBe(false);
    expect(contract.query?.safeParse({ limit: '201' }).success).toBe(false);
    expect(contract.query?.safeParse({}).success).toBe(true);
    expect(contract.example.response).toHaveProperty('next');
  });

  test.each(['listKinds', 'listSchedules', 'counts'] as const)(
    '%s is whole without a limit: those who add it up miss nothing',
    (name) => expect(contracts[name].query.parse({})).toEqual({}),
  );
});

describe('a job request', () => {
  const { body } = contracts.enqueue;
  const refused = (value: object) => !body.safeParse({ kind: 'k', ...value }).success;

  test('needs only a kind', () => {
    expect(body.parse({ kind: 'k' })).toEqual({ kind: 'k', data: {} });
  });

  test.each([0, 1_500, '15m', '1.5h', '0ms'])('takes a delay of %j', (delay) => {
    expect(refused({ delay })).toBe(false);
  });

  test.each([-1, NaN, Infinity, '15', 'm', '-5m', '5 m', '1e9d', '', '9'.repeat(400) + 'd'])(
    'refuses a delay of %j',
    (delay) => expect(refused({ delay })).toBe(true),
  );

  test.each(['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.5+02:00'])('takes %s', (runAt) => {
    expect(refused({ runAt })).toBe(false);
  });

  test.each(['2026-01-31', '2026-01-31T09:30:00', '2026-02-30T00:00:00Z', 'tomorrow', 1_700])(
    'refuses %j as a time: without an offset nobody knows when that is',
    (runAt) => expect(refused({ runAt })).toBe(true),
  );

  test('refuses a misspelt field', () => {
    expect(refused({ dealy: '5m' })).toBe(true);
  });
});

describe('a bulk action', () => {
  test.each([{}, { state: undefined }])('refuses %j, which would mean every job', (body) => {
    expect(contracts.cancelJobs.body.safeParse(body).success).toBe(false);
  });
  test.each([{ all: true }, { state: 'FAILED' }, { all: true, kind: 'k' }])('takes %j', (body) => {
    expect(contracts.cancelJobs.body.safeParse(body).success).toBe(true);
  });
  test('refuses all: false, which can only be a mistake', () => {
    expect(contracts.retryJobs.body.safeParse({ all: false }).success).toBe(false);
  });
});

test('every error is a problem with the status of the table', () => {
  for (const code of Object.keys(ERRORS) as (keyof typeof ERRORS)[]) {
    const made = problemOf(code, 'Why.', 'c', [{ path: 'a', message: 'b' }]);
    expect(problem.parse(made)).toEqual(made);
    expect(made).toMatchObject({
      code,
      status: ERRORS[code].status,
      type: `urn:millrace:error:${code}`,
    });
  }
});
