import { execFileSync } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../test/receiver.ts';
import { AddressRefused, type Delivery, type Lookup, send } from './send.ts';

let receiver: Receiver;
let cleanUp: (() => unknown)[] = [];
beforeEach(async () => {
  receiver = await startReceiver(() => ({ status: 204 }));
  cleanUp.push(() => receiver.close());
});
afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
});

function delivery(url: string, exempt: boolean, signal = new AbortController().signal): Delivery {
  return { url: new URL(url), exempt, headers: { 'x-test': '1' }, body: '{"a":1}', signal };
}

/** A resolver that says the next answer each time it is asked, and counts. */
function dns(...answers: string[][]) {
  const asked: string[] = [];
  const lookup = ((
    hostname: string,
    _: object,
    callback: (error: null, found: LookupAddress[]) => void,
  ) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  }) as unknown as Lookup;
  return { asked, lookup };
}

describe('a delivery', () => {
  test('reaches an allowed host on loopback', async () => {
    const answer = await send(delivery(`http://localhost:${receiver.port}/hook?x=1`, true));
    expect(answer).toEqual({ status: 204, retryAfter: null });
    expect(receiver.received).toMatchObject([
      {
        url: '/hook?x=1',
        body: '{"a":1}',
        headers: { 'x-test': '1', 'content-type': 'application/json', 'content-length': '7' },
      },
    ]);
  });

  test('to a name that really resolves to loopback is refused before anything is sent', async () => {
    await expect(send(delivery(`https://localhost:${receiver.port}/`, false))).rejects.toThrow(
      AddressRefused,
    );
    expect(receiver.received).toEqual([]);
  });

  test.each([
    [['127.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [['127.0.0.1', '93.184.216.34']],
    [['::ffff:7f00:1']],
    [['2606:4700::1111', 'fd00::1']],
    [['169.254.169.254']],
    [[]],
  ])('to a name that resolves to %j is refused', async (addresses) => {
    const { lookup } = dns(addresses);
    const url = `http://rebind.example:${receiver.port}/`;
    await expect(send(delivery(url, false), lookup)).rejects.toThrow(AddressRefused);
    expect(receiver.received).toEqual([]);
  });

  test('asks for the addresses once: what is checked is what is connected to', async () => {
    // Public when it is checked, loopback for anyone who asks again.
    const { asked, lookup } = dns(['203.0.113.1', '2001:db8::1'], ['127.0.0.1']);
    await expect(
      send(delivery(`http://rebind.example:${receiver.port}/`, false), lookup),
    ).rejects.toThrow(AddressRefused);
    // An address that nobody has been given: the connection cannot come about.
    const second = dns(['2d00::1'], ['127.0.0.1']);
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 200);
    await expect(
      send(delivery(`http://rebind.example:${receiver.port}/`, false, abort.signal), second.lookup),
    ).rejects.toThrow();
    expect([asked.length, second.asked.length]).toEqual([1, 1]);
    expect(receiver.received).toEqual([]);
  });

  test('does not follow a redirect, least of all to loopback', async () => {
    const redirecting = await startReceiver(() => ({
      status: 307,
      headers: { location: `http://127.0.0.1:${receiver.port}/` },
    }));
    cleanUp.push(() => redirecting.close());
    const answer = await send(delivery(`http://localhost:${redirecting.port}/`, true));
    expect(answer.status).toBe(307);
    expect(receiver.received).toEqual([]);
  });

  test('reads no more than a little of an answer without end', async () => {
    let sent = 0;
    const server = createServer((socket) => {
      const more = (): void => {
        while (socket.write('x'.repeat(10_000))) sent += 10_000;
      };
      socket.on('error', () => {}).on('drain', more);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n');
        more();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => server.close());
    const { port } = server.address() as { port: number };
    expect((await send(delivery(`http://localhost:${port}/`, true))).status).toBe(200);
    expect(sent).toBeLessThan(20_000_000);
  });

  test('tells when to come back', async () => {
    const busy = await startReceiver(() => ({ status: 503, headers: { 'retry-after': '120' } }));
    cleanUp.push(() => busy.close());
    expect(await send(delivery(`http://localhost:${busy.port}/`, true))).toEqual({
      status: 503,
      retryAfter: '120',
    });
  });

  test('does not wait for ever: not for an answer, nor for the rest of one', async () => {
    const silent = await startReceiver(() => null);
    cleanUp.push(() => silent.close());
    const late = { ...delivery(`http://localhost:${silent.port}/`, true), timeoutMs: 100 };
    await expect(send(late)).rejects.toMatchObject({ code: 'timeout', outcome: 'unknown' });

    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => server.close());
    const { port } = server.address() as { port: number };
    const slow = { ...delivery(`http://localhost:${port}/`, true), timeoutMs: 100 };
    expect((await send(slow)).status).toBe(200);
  });

  test('ends when its job is asked to end', async () => {
    const silent = await startReceiver(() => null);
    cleanUp.push(() => silent.close());
    const abort = new AbortController();
    const sent = send(delivery(`http://localhost:${silent.port}/`, true, abort.signal));
    await expect.poll(() => silent.received).toHaveLength(1);
    abort.abort(new Error('cancelled'));
    await expect(sent).rejects.toThrow('cancelled');
  });

  test.each([
    ['nothing at all', ''],
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9\r\n'],
    [
      'a change of protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ],
    ['half a header', 'HTTP/1.1 200 OK\r\nX-'],
  ])('fails when the answer is %s', async (_, text) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(text));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => server.close());
    const { port } = server.address() as { port: number };
    await expect(send(delivery(`http://localhost:${port}/`, true))).rejects.toThrow();
  });

  test('a body that breaks off does not undo a status', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
        setTimeout(() => socket.destroy(), 20);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => server.close());
    const { port } = server.address() as { port: number };
    expect((await send(delivery(`http://localhost:${port}/`, true))).status).toBe(200);
  });

  test('over TLS wants a certificate that it can trust', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-subj',
        '/CN=localhost',
      ],
      { stdio: 'ignore' },
    );
    const tls = await startReceiver(() => ({}), {
      key: readFileSync(key),
      cert: readFileSync(cert),
    });
    cleanUp.push(() => tls.close());
    await expect(send(delivery(`https://localhost:${tls.port}/`, true))).rejects.toThrow(
      /certificate of .* was not accepted \(.*SELF_SIGNED/,
    );
    expect(tls.received).toEqual([]);
  });
});
