import { type Client, type Role, createClient } from '@millrace/api';
import { afterEach, expect, test } from 'vitest';
import { type Harness, createHarness, fetchOf, refusal } from '../../test/harness.ts';
import { DEVELOPER } from '../identity/caller.ts';

let harness: Harness;
afterEach(() => harness.close());

/** A client whose bearer is the name and the role of its caller: `ada member`. */
function start(): (caller: string, tenant?: string) => Client {
  harness = createHarness({
    parts: {
      authenticate: async (authorization) => {
        const [name = '', role = ''] = (authorization ?? '').replace('Bearer ', '').split(' ');
        return {
          ...DEVELOPER,
          name,
          subject: name,
          roles: [role as Role],
          tenants: ['acme', 'globex'],
        };
      },
    },
  });
  return (caller, tenant) =>
    createClient({
      baseUrl: 'http://localhost:3000',
      fetch: fetchOf(harness.app),
      token: async () => caller,
      ...(tenant !== undefined && { headers: { 'millrace-tenant': tenant } }),
    });
}

const view = { what: 'views', name: 'Failed this week' } as const;
const value = { phase: 'failed', since: '7d' };

test('a view is saved, replaced, listed and deleted, and all of that is in the audit log', async () => {
  const ada = start()('ada operator');
  expect(await ada.putSaved({ params: view, body: { value } })).toMatchObject({ ...view, value });
  await ada.putSaved({ params: view, body: { value: { phase: 'failed' } } });
  await ada.putSaved({ params: { ...view, name: 'Ärger, heute' }, body: { value } });
  const { saved, next } = await ada.listSaved({ query: { what: 'views', limit: 1 } });
  expect(saved).toMatchObject([{ ...view, value: { phase: 'failed' } }]);
  expect((await ada.listSaved({ query: { limit: 1, cursor: next ?? '' } })).saved).toMatchObject([
    { name: 'Ärger, heute' },
  ]);
  expect((await ada.listSaved({ query: { what: 'batches' } })).saved).toEqual([]);
  expect(await ada.deleteSaved({ params: view })).toEqual({ removed: view.name });
  await refusal(ada.deleteSaved({ params: view }), 'saved_not_found');
  const { entries } = await ada.listAudit();
  expect(entries.map(({ action, target, outcome }) => `${action} ${target} ${outcome}`)).toEqual([
    'deleteSaved Failed this week refused',
    'deleteSaved Failed this week done',
    'putSaved Ärger, heute done',
    'putSaved Failed this week done',
    'putSaved Failed this week done',
  ]);
});

test('it is of one person and one tenant: neither colleagues nor admins have it', async () => {
  const as = start();
  await as('ada member').putSaved({ params: view, body: { value } });
  for (const other of [as('bob member'), as('root admin'), as('ada member', 'globex')]) {
    expect((await other.listSaved()).saved).toEqual([]);
    await refusal(other.deleteSaved({ params: view }), 'saved_not_found');
  }
  expect((await as('ada member', 'acme').listSaved()).saved).toHaveLength(1);
});

test('a viewer saves views, and no batches', async () => {
  const viewer = start()('vic viewer');
  await viewer.putSaved({ params: view, body: { value } });
  const batch = { params: { what: 'batches', name: 'Offers' }, body: { value } } as const;
  expect(await refusal(viewer.putSaved(batch), 'role_missing')).toContain('member');
});

test('what is too much is refused, with what helps', async () => {
  const ada = start()('ada member');
  const big = { q: 'x'.repeat(20_000) };
  await refusal(ada.putSaved({ params: view, body: { value: big } }), 'invalid_request');
  for (const name of [' x', 'x ', '…', 'a\u0007b', 'x'.repeat(101)])
    await refusal(ada.putSaved({ params: { ...view, name }, body: { value } }), 'invalid_request');
  for (let n = 0; n < 100; n += 1)
    await ada.putSaved({ params: { ...view, name: `${n}` }, body: { value } });
  await refusal(ada.putSaved({ params: view, body: { value } }), 'saved_full');
});
