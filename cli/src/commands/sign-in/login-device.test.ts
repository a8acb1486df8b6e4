import { describe, expect, test } from 'vitest';
import { MINUTE, at } from '../../../test/jobs.ts';
import { type Page, cancelAt, signInAt } from '../../../test/person.ts';
import { type Surroundings, documents } from '../../../test/run.ts';
import { ADA, nameIn, protectedFixture } from '../../../test/signed-in.ts';
import { tamper } from '../../../test/tamper.ts';

describe('millrace login --device', () => {
  /** Acts at the so-manieth pause, with the address and the code that were said. */
  function elsewhere(times: number, act: (address: string, code: string) => Promise<unknown>) {
    let said = '';
    const surroundings: Surroundings = {
      onSay: (text) => (said += text),
      async onWait(waited) {
        const [, address = '', code = ''] = /Open (\S+) .* code (\S+)/.exec(said) ?? [];
        if (waited === times) await act(address, code);
      },
    };
    return surroundings;
  }

  const withCode = (address: string, code: string) => `${address}?user_code=${code}`;

  test.each(['login --device', 'login'])('"%s" without a screen waits for a code', async (line) => {
    const { millrace, credentials, server, identity } = await protectedFixture();
    const surroundings = elsewhere(3, (address, code) => signInAt(withCode(address, code), ADA));
    const ran = await millrace(line, surroundings);
    expect(ran).toMatchObject({ code: 0, waits: [5_000, 5_000, 5_000] });
    expect(ran.stderr).toMatch(
      /^Open http:\S+ in any browser and type the code [A-Z]{4}-[A-Z]{4}\n$/,
    );
    expect(ran.stdout).toContain(`Signed in to ${server.url} as ${ADA} (operator).`);
    expect(nameIn((await credentials())[server.url]?.accessToken)).toBe(ADA);
    expect(identity.requests).toMatchObject({ token: 3, devicecode: 1, authorize: 0 });
  });

  test('asks more slowly when it is asked to', async () => {
    const { millrace, clock } = await protectedFixture();
    const act = elsewhere(3, (address, code) => signInAt(withCode(address, code), ADA));
    const ran = await millrace('login --device', {
      ...act,
      async onWait(times, interrupt) {
        if (times === 2) clock.now -= 4_000; // too soon for the issuer
        await act.onWait?.(times, interrupt);
      },
    });
    expect(ran).toMatchObject({ code: 0, waits: [5_000, 5_000, 10_000] });
  });

  test('goes on where the issuer is away for a moment', async () => {
    const { millrace, identity } = await protectedFixture();
    const act = elsewhere(2, (address, code) => signInAt(withCode(address, code), ADA));
    const ran = await millrace('login --device', {
      ...act,
      async onWait(times, interrupt) {
        if (times === 1) identity.faults.add({ kind: 'token-down' });
        else identity.faults.clear();
        await act.onWait?.(times, interrupt);
      },
    });
    expect(ran).toMatchObject({ code: 0, waits: [5_000, 10_000] });
  });

  test('ends where the person refuses, and where nobody comes', async () => {
    const { millrace, credentials } = await protectedFixture();
    const refusing = elsewhere(1, (address, code) => cancelAt(withCode(address, code)));
    const ran = await millrace('login --device', refusing);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/refuses: access_denied \(The person refused to sign in\)\.\n$/);
    const alone = await millrace('login --device');
    expect(alone.code).toBe(6);
    expect(alone.stderr).toMatch(/expired|Nobody signed in before the code ended/);
    expect(await credentials()).toEqual({});
  });

  test('ends at Ctrl-C', async () => {
    const { millrace } = await protectedFixture();
    const ran = await millrace('login --device', { onWait: (_, interrupt) => interrupt() });
    expect(ran).toMatchObject({ code: 130, stdout: '' });
  });

  test('gives JSON to programs that show it themselves', async () => {
    const { millrace } = await protectedFixture();
    const ran = await millrace('login --device --json', { onWait: (_, interrupt) => interrupt() });
    expect(documents(ran.stdout)).toEqual([
      {
        address: expect.stringMatching(/^http:/),
        userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
        expiresAt: at(15 * MINUTE),
      },
    ]);
  });

  test('is refused where the issuer has no such codes; without it, the browser is used', async () => {
    const { millrace } = await protectedFixture();
    const without = tamper('/openid-configuration', (document) => ({
      ...document,
      device_authorization_endpoint: undefined,
    }));
    expect(await millrace('login --device', { fetch: without })).toMatchObject({
      code: 6,
      stderr: 'The issuer does not support device codes. Leave --device out.\n',
    });
    const pages: Promise<Page>[] = [];
    const ran = await millrace('login', {
      fetch: without,
      onSay(text) {
        const [address] = /http:\S+code_challenge\S+/.exec(text) ?? [];
        if (address !== undefined) pages.push(signInAt(address, ADA));
      },
    });
    expect(ran.code).toBe(0);
    await Promise.all(pages);
  });

  test('goes not together with --no-browser', async () => {
    const { millrace } = await protectedFixture();
    expect((await millrace('login --device --no-browser')).code).toBe(2);
  });
});
