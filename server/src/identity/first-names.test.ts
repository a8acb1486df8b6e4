import type { Names } from '@millrace/store-postgres';
import { expect, test } from 'vitest';
import type { Caller } from './caller.ts';
import { byFirstName } from './first-names.ts';

/** As Postgres keeps them: a name has one subject, a subject one name. */
function createNames(): Names {
  const subjects = new Map<string, string>();
  return {
    async take({ name, subject }) {
      const had = [...subjects].find(([, of]) => of === subject)?.[0];
      if (had !== undefined) return had;
      if (subjects.has(name)) return null;
      subjects.set(name, subject);
      return name;
    },
  };
}

/** Gives what somebody with this name and subject is called. */
function calling(): (name: string, subject: string) => Promise<string> {
  let caller: Caller;
  const authenticate = byFirstName(() => Promise.resolve(caller), createNames());
  return async (name, subject) => {
    caller = { name, subject, roles: ['member'], tenants: null, claims: {}, expiresAt: null };
    return (await authenticate('Bearer x')).name;
  };
}

test('a person keeps their first name, and who comes with it later is called by their subject', async () => {
  const called = calling();
  expect(await called('ada@x', 'oid-1')).toBe('ada@x');
  expect(await called('ada.lovelace@x', 'oid-1')).toBe('ada@x');
  expect(await called('ada@x', 'oid-2')).toBe('user:oid-2');
});

test('a program is its registration, also with a new service principal', async () => {
  const called = calling();
  expect(await called('app:daemon', 'oid-1')).toBe('app:daemon');
  expect(await called('app:daemon', 'oid-2')).toBe('app:daemon');
});

test('a subject that is too long to be a name is refused, not kept', async () => {
  const called = calling();
  await called('ada@x', 'oid-1');
  // 195 characters and "user:" are 200.
  expect(await called('ada@x', 'x'.repeat(195))).toMatch(/^user:x{195}$/);
  await expect(called('ada@x', 'y'.repeat(196))).rejects.toMatchObject({
    code: 'token_invalid',
    message: expect.stringContaining('ada@x') as string,
  });
});
