import { describe, expect, test } from 'vitest';
import { signInAt } from '../../../test/person.ts';
import { documents } from '../../../test/run.ts';
import { ADA, login, protectedFixture } from '../../../test/signed-in.ts';
import { addressOf, tamper } from '../../../test/tamper.ts';

describe('millrace logout', () => {
  test('forgets this server, and no other', async () => {
    const fixture = await protectedFixture();
    const { millrace, server, credentials } = fixture;
    const other = await protectedFixture();
    await login(fixture);
    const kept = await millrace(`login --url ${other.server.url} --no-browser`, {
      onSay(text) {
        const [address] = /http:\S+code_challenge\S+/.exec(text) ?? [];
        if (address !== undefined) void signInAt(address, ADA);
      },
    });
    expect(kept.code).toBe(0);
    expect(Object.keys(await credentials())).toEqual([server.url, other.server.url]);
    expect(await millrace('logout')).toMatchObject({
      code: 0,
      stdout: `Signed out of ${server.url}.\n`,
      stderr: '',
    });
    expect(Object.keys(await credentials())).toEqual([other.server.url]);
    expect((await millrace('jobs')).code).toBe(6);
    expect((await millrace('logout')).stdout).toBe(`You were not signed in to ${server.url}.\n`);
  });

  test('takes the refresh token back where the issuer can', async () => {
    const fixture = await protectedFixture();
    const { millrace, identity, credentials } = fixture;
    const { refreshToken } = await login(fixture);
    const revoked: string[] = [];
    const withRevocation = tamper('/openid-configuration', (document) => ({
      ...document,
      revocation_endpoint: `${identity.origin}/revoke`,
    }));
    const ran = await millrace('logout --json', {
      fetch: (input, init) => {
        if (!addressOf(input).endsWith('/revoke')) return withRevocation(input, init);
        revoked.push(new URLSearchParams(init?.body as URLSearchParams).get('token') ?? '');
        return Promise.resolve(new Response());
      },
    });
    expect(documents(ran.stdout)).toMatchObject([{ signedOut: true, revoked: true }]);
    expect(revoked).toEqual([refreshToken]);
    expect(await credentials()).toEqual({});
  });

  test('forgets also while the issuer is away', async () => {
    const fixture = await protectedFixture();
    const { millrace, identity, credentials } = fixture;
    await login(fixture);
    await identity.close();
    const ran = await millrace('logout');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^The token could not be revoked at the issuer: /);
    expect(await credentials()).toEqual({});
  });
});
