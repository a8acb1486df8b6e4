import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PROBLEM_TYPE, problemOf } from '@millrace/api';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { refusal, startContractServer } from '../test/contract-server.ts';
import { aJob } from '../test/jobs.ts';
import { documents, fixture, run } from '../test/run.ts';
import { EXIT_CODES } from './line/exit.ts';
import { failureOf } from './failure.ts';
import { commands } from './main.ts';

/** Where a server was, so that nothing listens there. */
let NOWHERE = '';
beforeAll(async () => {
  const server = await startContractServer({});
  NOWHERE = server.url;
  await server.stop();
});

function widest(text: string): number {
  return Math.max(...text.split('\n').map((line) => line.length));
}

function coded(code: string): Error {
  return Object.assign(new Error(`because ${code}`), { code });
}

describe('help', () => {
  test('is made from the command table', async () => {
    const { code, stdout } = await run(['help'], NOWHERE);
    expect(code).toBe(0);
    for (const { name, summary } of commands)
      expect(stdout).toContain(`  ${name.padEnd(10)}  ${summary}\n`);
    for (const { code: exit, meaning } of Object.values(EXIT_CODES)) {
      expect(stdout).toContain(`  ${String(exit).padEnd(3)}  ${meaning}\n`);
    }
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect((await run(['--help'], NOWHERE)).stdout).toBe(stdout);
  });

  test.each(commands)(
    'of $name has its options, and fits 80 columns',
    async ({ name, options }) => {
      const { code, stdout } = await run(['help', name], NOWHERE);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: millrace ${name}`);
      for (const option of Object.keys(options)) expect(stdout).toContain(`  --${option}`);
      expect(widest(stdout)).toBeLessThanOrEqual(80);
      expect((await run([name, '--help'], NOWHERE)).stdout).toBe(stdout);
      expect((await run([name, '-h', 'surplus', 'words', 'x'], NOWHERE)).stdout).toBe(stdout);
    },
  );

  test('goes to standard error where a command was forgotten', async () => {
    const { code, stdout, stderr } = await run([], NOWHERE);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: millrace COMMAND');
  });

  test('needs no right settings', async () => {
    expect((await run(['--help'], 'ftp://nonsense')).code).toBe(0);
  });

  test('has the version', async () => {
    expect(await run(['--version'], NOWHERE)).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });
});

describe('a slip', () => {
  test.each([
    ['jbos', 'Unknown command "jbos". Did you mean "millrace jobs"?'],
    ['help retyr', 'Unknown command "retyr". Did you mean "millrace retry"?'],
    ['frobnicate', 'Unknown command "frobnicate". See "millrace help".'],
    ['jobs --stat failed', 'Unknown option --stat: did you mean --state?'],
    ['jobs --tennant=x', 'Unknown option --tennant: did you mean --tenant?'],
    ['jobs --zzzzzz', 'Unknown option --zzzzzz.'],
    ['jobs -x', 'Unknown option -x.'],
    ['jobs --state FIALED', '--state does not know "FIALED": did you mean FAILED?'],
    [
      'jobs --state xyz',
      '--state does not know "xyz": one of QUEUED, PROCESSING, SUCCEEDED, FAILED, CANCELED',
    ],
    ['jobs --kind --state failed', '--kind needs a value: --kind KIND'],
    ['jobs --kind', '--kind needs a value: --kind KIND'],
    ['jobs --kind=', '--kind needs a value.'],
    ['jobs --all=yes', '--all takes no value.'],
    [
      'job',
      'Missing argument: millrace job ID, or millrace job delete ID [--yes]. See "millrace help job".',
    ],
    ['jobs b', '"millrace jobs" does not take "b". See "millrace help jobs".'],
    ['job a b', '"millrace job" shows or deletes one job; unknown word "b".'],
    [
      'jobs --url ftp://x',
      '"ftp://x" is not the address of a server, such as http://127.0.0.1:3000.',
    ],
    ['jobs --url http://ada:x@host', 'The address contains a user name or password. Remove them.'],
    ['jobs --json --constructor', '{"code":"usage","detail":"Unknown option --constructor."}'],
  ])('"%s" is told in one sentence', async (line, sentence) => {
    const ran = await run(line.split(' '), NOWHERE);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: `${sentence}\n` });
  });
});

describe('the address', () => {
  test('is --url, before or after the command, then MILLRACE_URL; http:// may be left out', async () => {
    const { server } = await fixture();
    const bare = server.url.replace('http://', '');
    for (const argv of [
      ['--url', server.url, 'jobs'],
      ['jobs', '--url', `${bare}/`],
      ['jobs', `--url=${bare}`],
    ]) {
      expect((await run(argv, NOWHERE)).code).toBe(0);
    }
    expect((await run(['jobs'], bare)).code).toBe(0);
  });

  test('without a server ends with 5 and says what to do', async () => {
    const ran = await run(['jobs'], NOWHERE);
    expect(ran.code).toBe(5);
    expect(ran.stderr).toBe(
      `No Millrace at ${NOWHERE}: nothing listens there. Start one with "npm start" or "millrace start", or choose another with --url or MILLRACE_URL.\n`,
    );
    expect(documents((await run(['jobs', '--json'], NOWHERE)).stderr)).toMatchObject([
      { code: 'unreachable' },
    ]);
  });

  test.each(['jobs', 'login'])(
    'says of a port that fetch does not call why: %s',
    async (command) => {
      const ran = await run([command], 'http://127.0.0.1:9');
      expect(ran.code).toBe(5);
      expect(ran.stderr).toMatch(
        /^No Millrace at http:\/\/127\.0\.0\.1:9: no HTTP client calls this port, which belongs to another protocol\. /,
      );
    },
  );

  test.each(
    [
      ['jobs', 'job x', 'explain x', 'watch', 'watch x', 'stats', 'kinds', 'pause k', 'resume k'],
      ['enqueue k', 'retry x', 'cancel x', 'retry --all --yes', 'erase x --yes', 'schedules'],
      ['worker status', 'worker stop', 'audit', 'login', 'whoami'],
    ].flat(),
  )('"%s" ends with 5 and no stack', async (line) => {
    const { code, stderr } = await run(line.split(' '), NOWHERE);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^No Millrace at [^\n]+\n$/);
  });

  test.each([
    ['cuts the connection', (socket: { destroy(): void }) => socket.destroy()],
    [
      'cuts its answer short',
      (socket: { write(text: string): void; destroy(): void }) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"jobs"');
        setTimeout(() => socket.destroy(), 20);
      },
    ],
  ])('of a server that %s ends with 5', async (_, behave) => {
    const server = createServer();
    server.on('connection', (socket) => socket.once('data', () => behave(socket)));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { code, stderr } = await run(
      ['jobs'],
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    expect(stderr).toMatch(/^No Millrace at .*: the connection was cut\./);
    expect(code).toBe(5);
  });

  test.each([
    [new DOMException('The operation was aborted.', 'TimeoutError'), 'it did not answer in time'],
    [new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), 'the name is not known'],
    [new TypeError('fetch failed', { cause: coded('SELF_SIGNED') }), 'because SELF_SIGNED'],
    [new TypeError('fetch failed'), 'fetch failed'],
  ])('that cannot be reached says why: %s', (thrown, why) => {
    const { exitCode, sentence } = failureOf(thrown, 'http://host');
    expect(exitCode).toBe(5);
    expect(sentence.startsWith(`No Millrace at http://host: ${why}. Start one`)).toBe(true);
  });

  test('of something that is not Millrace ends with 5', async () => {
    const server = createServer((_, response) => response.writeHead(404).end('<html>'));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, stderr } = await run(['job', 'x'], url);
    expect(code).toBe(5);
    expect(stderr).toMatch(/not of this API/);
  });
});

describe('what the server says', () => {
  test('of a body that it refuses by its length, and does not read', async () => {
    const detail = 'The body is larger than 2 MiB.';
    const lengths: (string | undefined)[] = [];
    // As every HTTP server does it: what was not read when it closes resets the connection.
    const server = createServer(({ headers, socket }, response) => {
      lengths.push(headers['content-length']);
      const problem = problemOf('too_large', detail, 'c-1');
      response.writeHead(413, { 'content-type': PROBLEM_TYPE, connection: 'close' });
      response.end(JSON.stringify(problem), () => socket.destroy());
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const large = JSON.stringify({ text: 'x'.repeat(10_000_000) });
    const { code, stderr } = await run(['enqueue', 'hello', '-'], url, { stdin: large });
    expect({ code, stderr }).toEqual({ code: 4, stderr: `${detail}\n` });
    expect(new Set(lengths).size).toBe(1);
  });

  test.each([
    ['job_not_found', 3],
    ['unknown_kind', 3],
    ['kind_not_public', 4],
    ['invalid_payload', 4],
    ['quota_exceeded', 4],
    ['illegal_transition', 4],
    ['webhooks_off', 4],
    ['not_found', 4],
    ['store_unavailable', 5],
    ['internal', 5],
  ] as const)('%s ends with %i', async (code, expected) => {
    const { millrace, service } = await fixture([aJob()]);
    service.handlers.getJob = () => {
      throw refusal(code, 'Said so.');
    };
    const ran = await millrace('job pg-1');
    expect(ran).toMatchObject({ code: expected, stdout: '', stderr: 'Said so.\n' });
  });

  test('is reported with what is wrong field by field, unless its sentence has that', async () => {
    const { millrace, service } = await fixture([aJob()]);
    service.handlers.getJob = () => {
      throw refusal('invalid_request', 'Not as documented: a: bad.', [
        { path: 'a', message: 'bad' },
        { path: 'b.c', message: 'worse' },
      ]);
    };
    expect((await millrace('job pg-1')).stderr).toBe('Not as documented: a: bad.\n  b.c: worse\n');
  });
});

test('a defect of ours is reported as one, with 70', async () => {
  const { code, stderr } = await run(['start'], NOWHERE, {
    runServer() {
      throw new RangeError('oops');
    },
  });
  expect(code).toBe(70);
  expect(stderr).toMatch(/^This is a bug in the millrace command:\nRangeError: oops\n {4}at /);
});

describe('millrace start', () => {
  test('ends with the exit code of the server', async () => {
    const runServer = () => Promise.resolve(7);
    expect((await run(['start'], NOWHERE, { runServer })).code).toBe(7);
  });

  test('says so where the server is not built', async () => {
    const { code, stderr } = await run(['start'], NOWHERE);
    expect(code).toBe(70);
    expect(stderr).toMatch(/npm run build/);
  });
});
