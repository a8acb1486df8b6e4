import { expect, test } from 'vitest';
import { mayCall } from './roles.ts';

const operator = (tenants: string[] | null) => ({ roles: ['operator' as const], tenants });

test('an operator of some tenants is not offered what is about all of them', () => {
  for (const route of ['pauseKind', 'runSchedule', 'pauseReplica', 'settings'] as const) {
    expect(mayCall(operator(['acme']), route)).toEqual({
      allowed: false,
      why: 'This concerns all tenants and needs the role admin;  you are operator.',
    });
    expect(mayCall(operator(null), route).allowed).toBe(true);
    expect(mayCall({ roles: ['admin'], tenants: ['acme'] }, route).allowed).toBe(true);
  }
  expect(mayCall(operator(['acme']), 'retryJob').allowed).toBe(true);
});
