import type { JWTPayload } from 'jose';
import { expect, test } from 'vitest';
import { isName, nameOf, subjectOf } from './names.ts';

/** `undefined` takes a claim away. */
const claims = (more: JWTPayload): JWTPayload => ({
  sub: 'pairwise-1',
  oid: 'subject-1',
  ...more,
});

/** As Entra ID has it, a program is its own subject, and has proved itself with a secret. */
const ITSELF = { sub: 'subject-1', azpacr: '1' };

test.each<[string, JWTPayload, string]>([
  ['of version 2', { azp: 'daemon' }, 'app:daemon'],
  ['of version 1', { appid: 'daemon', azpacr: undefined, appidacr: '2' }, 'app:daemon'],
  ['by RFC 9068', { client_id: 'daemon', azpacr: undefined, sub: 'daemon' }, 'app:daemon'],
  ['with a display name', { azp: 'daemon', app_displayname: 'alice@example.com' }, 'app:daemon'],
  ['with a name', { azp: 'daemon', name: 'alice@example.com' }, 'app:daemon'],
  [
    'that says so, with the user name of someone',
    { azp: 'daemon', idtyp: 'app', preferred_username: 'alice@example.com', upn: 'alice' },
    'app:daemon',
  ],
  [
    'that is its own subject, with the user name of someone',
    { azp: 'daemon', preferred_username: 'alice@example.com' },
    'app:daemon',
  ],
  [
    'whose subject is the client, with the user name of someone',
    { azp: 'daemon', oid: undefined, unique_name: 'alice@example.com', sub: 'daemon' },
    'app:daemon',
  ],
  [
    'whose subject is the client, with a scope',
    { azp: 'daemon', oid: undefined, sub: 'daemon', scope: 'read' },
    'app:daemon',
  ],
  ['of Auth0', { azp: 'daemon', oid: undefined, sub: 'daemon@clients' }, 'app:daemon'],
  ['on a device', { azp: 'daemon', idtyp: 'device', upn: 'alice@example.com' }, 'app:daemon'],
  ['without a registration', {}, 'app:subject-1'],
])('a program %s is called by its registration', (_, more, name) => {
  expect(nameOf(claims({ ...ITSELF, ...more }), 'subject-1')).toBe(name);
});

test.each<[string, JWTPayload]>([
  ['a scope', { scope: 'openid profile' }],
  ['a list of scopes', { scp: ['openid'] }],
  ['a scope, and an oid that is the sub', { scope: 'openid', oid: 'alice' }],
  ['an oid that is the sub', { oid: 'alice' }],
  ['an oid that is the sub, from a public client', { oid: 'alice', azpacr: '0' }],
  ['neither scope nor oid', {}],
])(
  'people who sign in with one client are not one person: a token without a user name, with %s',
  (_, more) => {
    const named = (sub: string) =>
      nameOf(
        {
          azp: 'console',
          client_id: 'console',
          ...more,
          sub,
          ...(more['oid'] ? { oid: sub } : {}),
        },
        sub,
      );
    expect(named('alice')).toBe('user:alice');
    expect(named('bob')).toBe('user:bob');
  },
);

test.each<[string, JWTPayload, string]>([
  ['of version 2', { azp: 'cli', preferred_username: 'ada@example.com' }, 'ada@example.com'],
  ['of version 1', { appid: 'cli', upn: 'ada@example.com' }, 'ada@example.com'],
  ['that has no upn', { appid: 'cli', unique_name: 'ada@example.com' }, 'ada@example.com'],
  ['without a profile', { azp: 'cli', scp: 'access_as_user', name: 'Bob' }, 'user:subject-1'],
  ['that says so', { azp: 'cli', idtyp: 'user' }, 'user:subject-1'],
  ['called like a program', { upn: 'app:daemon' }, 'user:app:daemon'],
  [
    'called like a service identity',
    { upn: 'service:nightly-exports' },
    'user:service:nightly-exports',
  ],
  ['called like one in capitals', { upn: 'Service:x' }, 'user:Service:x'],
  ['called like someone without a name', { upn: 'User:subject-2' }, 'user:User:subject-2'],
  ['whose names are no texts', { scp: 'a', upn: 7, preferred_username: ['x'] }, 'user:subject-1'],
])('a person with a token %s', (_, more, name) => {
  expect(nameOf(claims(more), 'subject-1')).toBe(name);
});

test('the subject is the object id, or what other issuers have', () => {
  expect(subjectOf(claims({}))).toBe('subject-1');
  expect(subjectOf(claims({ oid: undefined }))).toBe('pairwise-1');
  expect(subjectOf({})).toBeNull();
});

test.each([
  ['a space at its end', 'ada '],
  ['a space at its beginning', ' ada'],
  ['two spaces', 'ada  lovelace'],
  ['a no-break space', 'ada\u00A0lovelace'],
  ['an ideographic space', 'ada\u3000'],
  ['a braille blank', 'ada\u2800'],
  ['a null notehead', 'ada\u{1D159}'],
  ['a zero-width space', 'ada\u200B'],
  ['a Hangul filler', 'ada\u3164'],
])('a name with %s is none: it looks like somebody else’s', (_, name) => {
  expect(isName(name)).toBe(false);
});

test('a name with a space in it is one', () => {
  expect(isName('Ada Lovelace')).toBe(true);
});
