import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { visit } from '../test/browser.ts';
import { askToken, authorizeUrl } from '../test/code-flow.ts';
import { API_SCOPE, TENANT, type World, startWorld } from '../test/world.ts';

/** What happens at the edge, whatever the endpoint. */

const CREDENTIALS = {
  grant_type: 'client_credentials',
  client_id: 'idle',
  client_secret: 'idle secret',
  scope: API_SCOPE,
};

/** Bytes as they are, and the first line of the answer. Empty: the connection just ended. */
function raw(world: World, text: string): Promise<string> {
  const { hostname, port } = new URL(world.origin);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const end = () => resolve(answer.split('\r\n')[0] ?? '');
    socket
      .setEncoding('latin1')
      .on('data', (chunk) => (answer += String(chunk)))
      .on('close', end)
      .on('error', end);
  });
}

const get = (path: string, host: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

async function stillServes(world: World): Promise<void> {
  expect((await askToken(world, CREDENTIALS)).status).toBe(200);
}

describe('Host', () => {
  const path = `/${TENANT}/v2.0/.well-known/openid-configuration`;
  test.each(['localhost', 'localhost:99', '127.0.0.1', '127.0.0.9:1', '[::1]:80', 'LOCALHOST'])(
    '%s is served',
    async (host) => {
      expect(await raw(await startWorld(), get(path, host))).toBe('HTTP/1.1 200 OK');
    },
  );

  test.each([
    'evil.test',
    '127.0.0.1.nip.io',
    'localhost.evil.test',
    'localhost@evil.test',
    '10.0.0.1',
    'a b',
    '',
  ])('"%s" is refused: another name for this machine is DNS rebinding', async (host) => {
    const world = await startWorld();
    expect(await raw(world, get(path, host))).toMatch(/^HTTP\/1.1 4(21|00) /);
    expect(world.requests.discovery).toBe(0);
  });
});

describe('CORS', () => {
  const page = 'http://localhost:5173';
  const discovery = (world: World) => `${world.issuer}/.well-known/openid-configuration`;

  test('lets pages of this machine read discovery, keys and tokens', async () => {
    const world = await startWorld();
    for (const url of [discovery(world), world.jwksUri]) {
      const { headers } = await visit(url, { headers: { origin: page } });
      expect(headers.get('access-control-allow-origin')).toBe(page);
      expect(headers.get('vary')).toBe('Origin');
    }
    const good = await askToken(world, CREDENTIALS, { origin: page });
    const bad = await askToken(world, {}, { origin: page });
    for (const { headers } of [good, bad]) {
      expect(headers.get('access-control-allow-origin')).toBe(page);
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  test('answers preflights', async () => {
    const world = await startWorld();
    const ask = (origin: string, url: string) =>
      visit(url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const { status, headers } = await ask(page, world.endpoint.token);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(page);
    expect(headers.get('access-control-allow-methods')).toContain('POST');
    expect(headers.get('access-control-allow-headers')).toContain('authorization');
    for (const refused of [
      await ask('https://evil.test', world.endpoint.token),
      await ask(page, world.endpoint.authorize),
    ]) {
      expect(refused.headers.has('access-control-allow-origin')).toBe(false);
    }
    expect(world.requests.token).toBe(0);
  });

  test.each(['https://evil.test', 'http://localhost.evil.test', 'null', 'http://localhost:5173/'])(
    'lets no page of %s read anything, nor ask for tokens',
    async (origin) => {
      const world = await startWorld();
      const { status, headers } = await visit(discovery(world), { headers: { origin } });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null]);
      const asked = await askToken(world, CREDENTIALS, { origin });
      expect(asked.status).toBe(403);
      expect(asked.headers.has('access-control-allow-origin')).toBe(false);
      const device = await visit(world.endpoint.devicecode, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ client_id: 'cli', scope: 'openid' }),
      });
      expect(device.status).toBe(403);
    },
  );

  test('is not for the pages', async () => {
    const world = await startWorld();
    const { headers } = await visit(authorizeUrl(world), { headers: { origin: page } });
    expect(headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('a body', () => {
  const post = (world: World, body: string, type = 'application/x-www-form-urlencoded') =>
    visit(world.endpoint.token, { method: 'POST', headers: { 'content-type': type }, body });

  test.each([
    ['a little too long', 16_385],
    ['much too long', 1_000_000],
  ])('that is %s is refused', async (_, length) => {
    const world = await startWorld();
    expect((await post(world, 'a'.repeat(length))).status).toBe(413);
    await stillServes(world);
  });

  test('as long as it may be is read', async () => {
    const world = await startWorld();
    const { text } = await post(world, `grant_type=${'x'.repeat(16_373)}`);
    expect(JSON.parse(text)).toMatchObject({ error: 'unsupported_grant_type' });
  });

  test('without an end is cut off', async () => {
    const world = await startWorld();
    const { hostname, port } = new URL(world.origin);
    const head = `POST /${TENANT}/oauth2/v2.0/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`;
    const sent = await new Promise<number>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(head));
      const goOn = () => {
        while (!socket.destroyed && socket.bytesWritten < 100_000_000 && socket.write(chunk));
        if (socket.bytesWritten >= 100_000_000) socket.destroy();
      };
      socket.on('connect', goOn).on('drain', goOn);
      socket.on('error', () => {}).on('close', () => resolve(socket.bytesWritten));
    });
    expect(sent).toBeLessThan(50_000_000); // 1 MB, and what fits in between
    await stillServes(world);
  });

  test('of another type is refused', async () => {
    const world = await startWorld();
    expect((await post(world, '{"grant_type":"x"}', 'application/json')).status).toBe(415);
    expect((await visit(world.endpoint.token, { method: 'POST' })).status).toBe(415);
  });

  test('that is not there, or not text, is refused and no more', async () => {
    const world = await startWorld();
    for (const body of ['', '%', '%zz=%', '=&=&', '\u0000=\u0000', 'grant_type=%ff%fe']) {
      expect((await post(world, body)).status).toBe(400);
    }
    await stillServes(world);
  });
});

describe('what is malformed', () => {
  test.each([
    ['nonsense', 'hello\r\n\r\n'],
    ['an absolute address', get('http://evil.test/', 'localhost')],
    ['an address with two slashes', get(`//evil.test/${TENANT}/v2.0`, 'localhost')],
    ['a credential for a path', get('@evil.test/', 'localhost')],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['a broken escape', get(`/${TENANT}/%zz?%zz`, 'localhost')],
    ['a path upwards', get(`/${TENANT}/../../etc/passwd`, 'localhost')],
    ['headers of 100 kB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    [
      'a body that ends early',
      `POST /${TENANT}/login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: zzz\r\n\r\n`,
    ],
  ])('%s is refused and no more', async (_, text) => {
    const world = await startWorld();
    expect(await raw(world, text)).toMatch(/^HTTP\/1.1 4\d\d /);
    await stillServes(world);
  });

  test('a sender who leaves in the middle is not missed', async () => {
    const world = await startWorld();
    const { hostname, port } = new URL(world.origin);
    const head = `POST /${TENANT}/oauth2/v2.0/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ngrant`;
    await new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(head, () => socket.destroy());
      });
      socket.on('close', resolve);
    });
    await stillServes(world);
    expect(world.requests.token).toBe(1); // the one of now
  });

  test('a mistake of ours is 500, and only the process hears more', async () => {
    let broken = false;
    const world = await startWorld({
      now() {
        if (broken) throw new Error('a secret of the inside');
        return 0;
      },
    });
    broken = true;
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { status, body } = await askToken(world, CREDENTIALS);
    expect([status, body['error']]).toEqual([500, 'server_error']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(warn.mock.calls.flat().map(String)).toEqual(['Error: a secret of the inside']);
    warn.mockRestore();
    broken = false;
    await stillServes(world);
  });

  test('a wrong method is told the right one', async () => {
    const world = await startWorld();
    const token = await visit(world.endpoint.token);
    expect([token.status, token.headers.get('allow')]).toEqual([405, 'POST']);
    const page = await visit(world.endpoint.authorize, { method: 'DELETE' });
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });

  test('an address that leads nowhere says where the issuer is', async () => {
    const world = await startWorld();
    const { status, text } = await visit(world.origin);
    expect(status).toBe(404);
    expect(text).toContain(world.issuer);
  });
});

test('HEAD is GET without the body', async () => {
  const world = await startWorld();
  const { status, text } = await visit(world.jwksUri, { method: 'HEAD' });
  expect([status, text]).toEqual([200, '']);
});

test('close ends connections that are kept alive, and may come twice', async () => {
  const world = await startWorld();
  await visit(world.jwksUri); // fetch keeps the connection
  await world.close();
  await world.close();
  await expect(visit(world.jwksUri)).rejects.toThrow('fetch failed');
});

test('requests are counted by endpoint', async () => {
  const world = await startWorld();
  await visit(world.jwksUri);
  await visit(world.jwksUri);
  await visit(`${world.origin}/favicon.ico`);
  await askToken(world, {});
  expect(world.requests).toEqual({
    discovery: 0,
    jwks: 2,
    token: 1,
    authorize: 0,
    devicecode: 0,
    device: 0,
    login: 0,
    enter: 0,
    logout: 0,
    other: 1,
  });
});
