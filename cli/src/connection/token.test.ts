import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusal, startContractServer } from '../../test/contract-server.ts';
import { MINUTE } from '../../test/jobs.ts';
import {
  ADA,
  AS_DAEMON,
  DAEMON,
  PUBLIC_CLIENT,
  SCRIPT,
  login,
  nameIn,
  protectedFixture,
} from '../../test/signed-in.ts';

describe('a token comes from', () => {
  test('MILLRACE_TOKEN, then the client of the environment, the sign-in, the sandbox', async () => {
    const fixture = await protectedFixture();
    const { millrace, server, identity } = fixture;
    await login(fixture);
    await fixture.writeRunning();
    const given = await identity.sign({ azp: 'given' });
    const seen = async (env: Record<string, string>) => {
      const ran = await millrace('whoami', { env });
      const [, by] = / by +(.*)/.exec(ran.stdout) ?? [];
      return [nameIn(server.tokens.at(-1)), by];
    };
    const everything = { ...AS_DAEMON, MILLRACE_TOKEN: given };
    expect(await seen(everything)).toEqual(['given', 'MILLRACE_TOKEN']);
    expect(await seen(AS_DAEMON)).toEqual([
      DAEMON.id,
      'MILLRACE_CLIENT_ID and MILLRACE_CLIENT_SECRET',
    ]);
    expect(await seen({})).toEqual([ADA, 'millrace login']);
    await millrace('logout');
    expect(await seen({})).toEqual([SCRIPT.id, 'the client of the sandbox']);
  });

  test('nowhere: then the server says 401, and we say what to do', async () => {
    const { millrace, server } = await protectedFixture();
    const ran = await millrace('jobs');
    expect(ran).toMatchObject({ code: 6, stdout: '', stderr: 'Sign in first: millrace login\n' });
    expect(server.tokens).toEqual([null]);
    expect((await millrace(`jobs --url ${server.url}`)).stderr).toBe(
      `Sign in first: millrace login --url ${server.url}\n`,
    );
    expect(JSON.parse((await millrace('jobs --json')).stderr)).toMatchObject({
      code: 'unauthenticated',
      status: 401,
    });
  });

  test.each([
    ['wrong_issuer', 6],
    ['wrong_audience', 6],
    ['role_missing', 6],
    ['token_expired', 6],
    ['identity_unavailable', 5],
    ['origin_not_allowed', 4],
  ] as const)('somewhere: %s ends with %i', async (code, expected) => {
    const { millrace, service } = await protectedFixture();
    service.handlers.listJobs = () => {
      throw refusal(code, 'Said so.');
    };
    const ran = await millrace('jobs');
    expect(ran.code).toBe(expected);
    expect(ran.stderr).toMatch(/^Said so\./);
  });
});

describe('MILLRACE_TOKEN', () => {
  test('is sent as it is, without the blanks of a file around it', async () => {
    const { millrace, server, identity } = await protectedFixture();
    const given = await identity.sign({});
    const ran = await millrace('jobs', { env: { MILLRACE_TOKEN: ` ${given}\n` } });
    expect(ran.code).toBe(0);
    expect(server.tokens).toEqual([given]);
    expect(identity.requests.discovery).toBe(0);
  });

  test('that is refused is reported as such', async () => {
    const { millrace } = await protectedFixture();
    const ran = await millrace('jobs', { env: { MILLRACE_TOKEN: 'not-a-good-one' } });
    expect(ran).toMatchObject({ code: 6, stdout: '' });
    expect(ran.stderr).toBe(
      'Invalid token. Set MILLRACE_TOKEN to a new one, or unset it and sign in: millrace login\n',
    );
  });

  test.each(['Bearer abc', 'se\ncret', 'sécret'])(
    'that no header takes is not repeated',
    async (given) => {
      const { millrace, server } = await protectedFixture();
      const ran = await millrace('jobs', { env: { MILLRACE_TOKEN: given } });
      expect(ran.code).toBe(6);
      expect(ran.stderr).toBe(
        'The token has characters that a token cannot have. Get another one.\n',
      );
      expect(server.requests).toEqual([]);
    },
  );
});

describe('the client of the environment', () => {
  test('gets one token for a run, and another when that is about to end', async () => {
    const fixture = await protectedFixture();
    const { millrace, identity, server, clock } = fixture;
    let looks = 0;
    const ran = await millrace('watch pg-1 -q', {
      env: AS_DAEMON,
      onWait(_, interrupt) {
        looks += 1;
        if (looks === 3) clock.now += 59 * MINUTE;
        if (looks === 5) interrupt();
      },
    });
    expect(ran.code).toBe(130);
    expect(identity.requests.token).toBe(2);
    const jobs = server.tokens.filter((_, index) => server.requests[index] === 'GET /jobs/pg-1');
    expect(jobs.map(nameIn)).toEqual(Array(5).fill(DAEMON.id));
    expect(new Set(jobs).size).toBe(2);
    // Asked who issues tokens, the server is told nothing.
    const asked = server.tokens.filter((_, index) => server.requests[index] === 'GET /signin');
    expect(asked).toEqual([null, null]);
  });

  test('is asked for once by many requests at the same time', async () => {
    const { millrace, identity, service } = await protectedFixture();
    service.handlers.getJob = ({ params }) => ({
      ...(service.jobs[0] as (typeof service.jobs)[0]),
      id: params['id'] ?? '',
      state: 'SUCCEEDED',
    });
    await millrace('watch a b c d e f g', { env: AS_DAEMON });
    expect(identity.requests.token).toBe(1);
  });

  test('needs both; the id alone is a setting of the server', async () => {
    const { millrace } = await protectedFixture();
    const secret = 'the-secret-alone';
    const ran = await millrace('jobs', { env: { MILLRACE_CLIENT_SECRET: secret } });
    expect(ran).toMatchObject({
      code: 2,
      stderr: 'MILLRACE_CLIENT_SECRET is set: set MILLRACE_CLIENT_ID as well.\n',
    });
    const other = await millrace('jobs', { env: { MILLRACE_CLIENT_ID: PUBLIC_CLIENT } });
    expect(other.stderr).toBe('Sign in first: millrace login\n');
  });

  test('is told where the issuer refuses it, without its secret', async () => {
    const { millrace, server } = await protectedFixture();
    const env = { MILLRACE_CLIENT_ID: DAEMON.id, MILLRACE_CLIENT_SECRET: 'a-wrong-secret' };
    const ran = await millrace('jobs', { env });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/^The issuer http\S+ refuses: invalid_client/);
    expect(ran.stderr).not.toContain('a-wrong-secret');
    expect(server.requests).toEqual(['GET /signin']);
  });

  test('is not needed where nobody has to sign in', async () => {
    const { millrace, signIn, identity, service } = await protectedFixture();
    signIn.required = false;
    service.handlers.listJobs = () => ({ jobs: [], next: null });
    expect((await millrace('jobs', { env: AS_DAEMON })).code).toBe(0);
    expect(identity.requests.discovery).toBe(0);
  });

  test('is shown to no server that others could pose as', async () => {
    const { millrace } = await protectedFixture();
    const ran = await millrace('jobs --url http://millrace.example', {
      env: AS_DAEMON,
      fetch: () => Promise.reject(new Error('Nobody is to be asked.')),
    });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/^http:\/\/millrace\.example is not encrypted/);
  });
});

describe('a server that sends its callers elsewhere', () => {
  test.each([301, 302, 303, 307, 308])('by %i gets no token there', async (status) => {
    const { millrace, identity } = await protectedFixture();
    const other = await startContractServer({ listJobs: () => ({ jobs: [], next: null }) });
    onTestFinished(() => other.stop());
    const server = createServer((_, response) => {
      response.writeHead(status, { location: `${other.url}/jobs?limit=20` }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { MILLRACE_TOKEN: await identity.sign({}) };
    expect(await millrace(`jobs --url ${url}`, { env })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `${url} redirects to ${other.url}. If you trust that address, pass it with --url or MILLRACE_URL.\n`,
    });
    expect(other.requests).toEqual([]);
  });
});

test('nothing that is said has a token or a secret in it', async () => {
  const fixture = await protectedFixture();
  const { millrace, runningFile, credentials, server } = fixture;
  const said: string[] = [];
  const ran = async (line: string, env: Record<string, string> = {}) => {
    const { stdout, stderr } = await millrace(line, { env });
    said.push(stdout, stderr);
  };
  await login(fixture);
  const kept = (await credentials())[server.url];
  await fixture.writeRunning();
  for (const line of [
    'jobs',
    'whoami',
    'whoami --json',
    'jobs --json',
    'job nope',
    'login --json',
  ]) {
    await ran(line);
    await ran(line, AS_DAEMON);
  }
  await ran('logout');
  await ran('whoami');
  const secrets = [kept?.accessToken, kept?.refreshToken, DAEMON.secret, SCRIPT.secret];
  const tokens = server.tokens.filter((token) => token !== null);
  expect(tokens.length).toBeGreaterThan(5);
  for (const secret of [...secrets, ...tokens]) expect(said.join('\n')).not.toContain(secret);
  expect(await readFile(runningFile, 'utf8')).toContain(SCRIPT.secret);
});
