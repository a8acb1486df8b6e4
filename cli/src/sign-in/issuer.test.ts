import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../test/jobs.ts';
import { AS_DAEMON, DAEMON, login, protectedFixture } from '../../test/signed-in.ts';
import { addressOf, tamper } from '../../test/tamper.ts';

describe('an issuer', () => {
  test('that repeats a secret does not bring it to the terminal', async () => {
    const fixture = await protectedFixture();
    const { millrace, clock } = fixture;
    const wrong = 'a-wrong-secret';
    const ran = await millrace('jobs', {
      env: { ...AS_DAEMON, MILLRACE_CLIENT_SECRET: wrong },
      fetch: tamper('/token', (answer) => ({ ...answer, error_description: `You sent ${wrong}!` })),
    });
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/refuses: invalid_client \(You sent …!\)\.\n$/);

    const { refreshToken } = await login(fixture);
    clock.now += 25 * 60 * MINUTE;
    const again = await millrace('jobs --json', {
      fetch: tamper('/token', (answer) => ({
        ...answer,
        error_description: `\u001B[2JYou sent\r\n${refreshToken}`,
      })),
    });
    expect(again.code).toBe(6);
    const { detail } = JSON.parse(again.stderr) as { detail: string };
    expect(detail).toMatch(/\( \[2JYou sent …\)\. Sign in again: millrace login$/);
  });

  test.each([
    ['answers 404', () => new Response('<html>', { status: 404 }), 6, 'it answered 404'],
    ['answers 500', () => new Response('', { status: 500 }), 5, 'it answered 500'],
    ['answers 429', () => new Response('', { status: 429 }), 5, 'it answered 429'],
    ['is a page', () => new Response('<html>'), 6, 'it answered 200'],
    [
      'is half an answer',
      () => new Response('{"issuer":', { headers: { 'content-type': 'application/json' } }),
      6,
      'parsing error occured',
    ],
    [
      'has no end',
      () =>
        new Response(
          new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(65_536).fill(32)) }),
          { headers: { 'content-type': 'application/json' } },
        ),
      6,
      'parsing error occured',
    ],
    [
      'is another one',
      () => Response.json({ issuer: 'http://127.0.0.1:1/other' }),
      6,
      'discovered metadata issuer does not match the expected issuer',
    ],
  ] as const)('whose document %s is told in one sentence', async (_, answer, code, words) => {
    const { millrace, server } = await protectedFixture();
    const ran = await millrace('jobs', {
      env: AS_DAEMON,
      fetch: (input, init) =>
        addressOf(input).startsWith(server.url) ? fetch(input, init) : Promise.resolve(answer()),
    });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(/^The issuer [^\n]+\n$/);
    expect(ran.stderr).toContain(words);
    expect(ran.stderr).not.toContain(DAEMON.secret);
  });

  test('that nobody reaches ends with 5, and says why', async () => {
    const { millrace, identity } = await protectedFixture();
    await identity.close();
    const ran = await millrace('jobs', { env: AS_DAEMON });
    expect(ran.code).toBe(5);
    expect(ran.stderr).toBe(
      `The issuer ${identity.issuer} is unavailable: nothing listens there.\n`,
    );
  });

  test('that is away leaves no doubt about what was sent', async () => {
    const { millrace, identity, server } = await protectedFixture();
    await identity.close();
    const ran = await millrace('enqueue hello --lines', { env: AS_DAEMON, stdin: '{}\n{}\n' });
    expect(ran.code).toBe(5);
    expect(ran.stderr).toMatch(/^0 jobs enqueued\.\nThe issuer [^\n]+\n$/);
    expect(server.requests).toEqual(['GET /signin']);
  });

  test('that does not say how long a token lasts is believed until the server refuses it', async () => {
    const fixture = await protectedFixture();
    const { millrace, credentials, server, clock } = fixture;
    await login(fixture);
    clock.now += 60 * MINUTE;
    const forgetful = tamper('/token', (answer) => ({ ...answer, expires_in: undefined }));
    expect((await millrace('jobs', { fetch: forgetful })).code).toBe(0);
    expect((await credentials())[server.url]).toMatchObject({ expiresAt: null });
    clock.now += 60 * MINUTE;
    expect(await millrace('jobs')).toMatchObject({
      code: 6,
      stderr: 'The token has expired. Sign in again: millrace login\n',
    });
  });
});
