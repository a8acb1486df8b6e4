import { onTestFinished } from 'vitest';
import {
  type Identity,
  type IdentityOptions,
  type PrivateJwk,
  startIdentity,
} from '../src/index.ts';

/** Where a program on this machine would wait for its code. Nothing listens there. */
export const CALLBACK = 'http://127.0.0.1:7777/callback';
export const API_SCOPE = 'api://5a4db0c5-0000-4000-8000-000000000002/.default';
export const TENANT = '5a4db0c5-0000-4000-8000-000000000001';

export const ADA = 'ada@sandbox.test';
export const OTTO = 'otto@sandbox.test';

export const PEOPLE: IdentityOptions = {
  users: [
    { username: ADA, name: 'Ada', roles: ['admin'] },
    { username: OTTO, name: 'Otto', password: 'open sesame', roles: [] },
  ],
  clients: [
    { id: 'cli', name: 'The command line' },
    { id: 'other-cli' },
    {
      id: 'daemon',
      secret: 'p%ss: wörd+',
      roles: ['operator'],
      redirectUris: ['https://daemon.test/callback'],
    },
    { id: 'idle', secret: 'idle secret' },
  ],
};

export interface World extends Identity {
  /** Moves the issuer's clock, which else stands still at the time of the start. */
  advance(ms: number): void;
  readonly endpoint: Readonly<Record<'authorize' | 'token' | 'devicecode' | 'logout', string>>;
}

/** An RSA key takes a tenth of a second and more to make: one for all tests of a file. */
let keys: readonly PrivateJwk[] | undefined;

export async function startWorld(options: IdentityOptions = {}): Promise<World> {
  let now = Date.now();
  const given = { ...PEOPLE, ...(keys === undefined ? {} : { keys }), now: () => now };
  const identity = await startIdentity({ ...given, ...options });
  keys ??= await identity.exportKeys();
  onTestFinished(() => identity.close());
  const { tenant = TENANT } = options;
  const at = (path: string) => `${identity.origin}/${tenant}/oauth2/v2.0/${path}`;
  return {
    ...identity,
    advance: (ms) => void (now += ms),
    endpoint: {
      authorize: at('authorize'),
      token: at('token'),
      devicecode: at('devicecode'),
      logout: at('logout'),
    },
  };
}
