import { describe, expect, test } from 'vitest';
import { MINUTE, at } from '../../../test/jobs.ts';
import { documents } from '../../../test/run.ts';
import {
  ADA,
  AS_DAEMON,
  DAEMON,
  login,
  nameIn,
  protectedFixture,
  PLACE,
} from '../../../test/signed-in.ts';

describe('millrace whoami', () => {
  test('shows who, as what, until when and by what', async () => {
    const fixture = await protectedFixture();
    const { millrace, server } = fixture;
    await login(fixture);
    expect((await millrace('whoami', { terminal: 80 })).lines).toEqual([
      ADA,
      '  roles   operator',
      `  until   ${at(60 * MINUTE)}  (in 1 h)`,
      '  by      millrace login',
      `  server  ${server.url}`,
    ]);
    expect((await millrace('whoami -q')).stdout).toBe(`${ADA}\n`);
    expect(documents((await millrace('whoami --json')).stdout)).toEqual([
      {
        name: ADA,
        subject: expect.any(String),
        roles: ['operator'],
        claims: {},
        tenants: null,
        expiresAt: at(60 * MINUTE),
        version: expect.any(String),
        environment: null,
        sandbox: false,
      },
    ]);
  });

  test('shows the tenants, where there are some', async () => {
    const { millrace, service } = await protectedFixture();
    const me = { ...PLACE, name: 'ada', subject: 's', roles: [], claims: {}, expiresAt: null };
    service.handlers.me = () => ({ ...me, tenants: ['acme', 'globex'] });
    expect((await millrace('whoami')).stdout).toContain('tenants  acme, globex\n');
    service.handlers.me = () => ({ ...me, tenants: [] });
    expect((await millrace('whoami')).stdout).toContain('tenants  none\n');
  });

  test('shows a program the same', async () => {
    const { millrace } = await protectedFixture();
    const { stdout } = await millrace('whoami', { env: AS_DAEMON });
    expect(stdout).toContain(`${DAEMON.id}\n  roles   operator\n`);
  });

  test('says what to do where nobody is signed in', async () => {
    const { millrace } = await protectedFixture();
    expect(await millrace('whoami')).toMatchObject({
      code: 6,
      stderr: 'Sign in first: millrace login\n',
    });
  });

  test('lets no name move the cursor', async () => {
    const { millrace, service } = await protectedFixture();
    service.handlers.me = () => ({
      ...PLACE,
      name: 'ada\u001B[2J',
      subject: 's',
      roles: [],
      claims: {},
      tenants: null,
      expiresAt: null,
    });
    expect((await millrace('whoami')).stdout).toMatch(
      /^ada {1}\[2J\n {2}roles {3}none\n {2}server/,
    );
  });
});

describe('millrace token', () => {
  test('prints a token and nothing else', async () => {
    const fixture = await protectedFixture();
    const { millrace, clock, server } = fixture;
    const { accessToken } = await login(fixture);
    expect(await millrace('token')).toMatchObject({
      code: 0,
      stdout: `${accessToken}\n`,
      stderr: '',
    });
    expect(documents((await millrace('token --json')).stdout)).toEqual([
      { token: accessToken, expiresAt: at(60 * MINUTE) },
    ]);
    expect(server.requests).toEqual([]);
    // One that has just ended is of no use to curl.
    clock.now += 60 * MINUTE;
    const { stdout } = await millrace('token');
    expect(stdout).not.toContain(accessToken);
    expect(nameIn(stdout)).toBe(ADA);
  });

  test('has none where nobody is signed in', async () => {
    const { millrace } = await protectedFixture();
    expect(await millrace('token')).toMatchObject({
      code: 6,
      stdout: '',
      stderr: 'Sign in first: millrace login\n',
    });
    expect(documents((await millrace('token --json')).stderr)).toEqual([
      { code: 'sign_in_needed', detail: 'Sign in first: millrace login' },
    ]);
  });
});
