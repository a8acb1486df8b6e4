import { expect, test } from 'vitest';
import { startWorld } from '../test/world.ts';
import { type IdentityOptions, startIdentity } from './index.ts';

const ada = { username: 'ada', name: 'Ada', roles: [] };

test.each<[string, IdentityOptions, string]>([
  ['every address', { host: '0.0.0.0' }, 'host'],
  ['every IPv6 address', { host: '[::]' }, 'host'],
  ['no address', { host: 'a b' }, 'host'],
  ['a port too high', { port: 65_536 }, 'port'],
  ['half a port', { port: 0.5 }, 'port'],
  ['a tenant with a slash', { tenant: 'a/b' }, 'tenant'],
  ['an empty tenant', { tenant: '' }, 'tenant'],
  ['a tenant by its name', { tenant: 'contoso.test' }, 'tenant'],
  ['an app ID URI with a blank', { api: { appIdUri: 'api://a b' } }, 'api'],
  ['a client id that is no GUID', { api: { clientId: 'millrace' } }, 'api'],
  ['a token version to come', { api: { tokenVersion: 3 as 2 } }, 'api'],
  ['tokens that never live', { tokenLifetimeSeconds: 0 }, 'tokenLifetimeSeconds'],
  ['one username twice', { users: [ada, ada] }, 'users'],
  ['no username', { users: [{ ...ada, username: '' }] }, 'users'],
  ['an empty password', { users: [{ ...ada, password: '' }] }, 'users'],
  ['no password off loopback', { host: '10.255.255.1', users: [ada] }, 'users'],
  ['one client id twice', { clients: [{ id: 'a' }, { id: 'a' }] }, 'clients'],
  ['no client id', { clients: [{ id: '' }] }, 'clients'],
  ['an empty secret', { clients: [{ id: 'a', secret: '' }] }, 'clients'],
  ['a relative redirect', { clients: [{ id: 'a', redirectUris: ['/cb'] }] }, 'clients'],
  ['a script redirect', { clients: [{ id: 'a', redirectUris: ['javascript:1'] }] }, 'clients'],
  ['plain http', { clients: [{ id: 'a', redirectUris: ['http://a.test/'] }] }, 'clients'],
  ['a fragment', { clients: [{ id: 'a', redirectUris: ['https://a.test/#b'] }] }, 'clients'],
])('refused: %s', async (_, options, name) => {
  await expect(startIdentity(options)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(new RegExp(`^${name}: `)),
  });
});

test('a secret never comes back in an error', async () => {
  const options = {
    users: [{ ...ada, password: 'hush' }],
    clients: [{ id: 'a', secret: 'hush', redirectUris: ['http://hush.test'] }],
  };
  await expect(startIdentity(options)).rejects.toThrow(/^(?!.*hush)/);
});

test('a port in use says so', async () => {
  const { origin } = await startWorld();
  await expect(startWorld({ port: Number(new URL(origin).port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test.each(['localhost', '127.0.0.1', '127.0.0.2'])(
  'listens on %s under that name',
  async (host) => {
    const world = await startWorld({ host });
    expect(world.issuer).toMatch(`http://${host}:`);
    expect((await fetch(world.jwksUri)).status).toBe(200);
  },
);
