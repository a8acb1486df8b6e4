import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusal, startContractServer } from '../../../test/contract-server.ts';
import { aJob, aKind, succeeded } from '../../../test/jobs.ts';
import { documents, fixture, run } from '../../../test/run.ts';
import { screenOf } from '../../../test/terminal.ts';

async function file(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'data');
  await writeFile(path, text);
  return path;
}

describe('millrace enqueue', () => {
  test('prints the id and nothing else', async () => {
    const { millrace, service } = await fixture();
    expect(await millrace(`enqueue hello '{"name":"Ada"}'`, { terminal: 80 })).toMatchObject({
      code: 0,
      stdout: 'pg-1\n',
      stderr: '',
    });
    expect(service.jobs[0]).toMatchObject({ kind: 'hello', data: { name: 'Ada' } });
    const { stdout } = await millrace('enqueue hello --json');
    expect(documents(stdout)).toEqual([{ id: 'pg-2', created: true }]);
  });

  test('takes the data from standard input or a file', async () => {
    const { millrace, service } = await fixture();
    await millrace('enqueue hello -', { stdin: ['{"name":', '"piped"}\n'] });
    await millrace(`enqueue hello --data-file ${await file('\uFEFF{"name":"filed"}')}`);
    await millrace('enqueue hello');
    expect(service.jobs.map(({ data }) => data)).toEqual([
      { name: 'piped' },
      { name: 'filed' },
      {},
    ]);
  });

  test('without data says what is missing', async () => {
    const { millrace, service } = await fixture();
    const properties = { name: { type: 'string' }, size: { enum: ['a4', 'a5'] }, note: {} };
    service.kinds[0] = aKind({ input: { type: 'object', properties, required: ['name', 'size'] } });
    service.handlers.enqueue = () => {
      throw refusal('invalid_payload', 'The data does not fit the kind "hello": name: …');
    };
    const ran = await millrace('enqueue hello');
    expect(ran.code).toBe(2);
    expect(ran.stderr).toBe(
      `The kind "hello" needs data: name (string) and size (a4 or a5). For example:\n  millrace enqueue hello '{"name":"…","size":"a4"}'\n`,
    );
    expect((await millrace('enqueue hello {}')).stderr).toMatch(/^The data does not fit/);
  });

  test('gives every option to the server, and no other', async () => {
    const bodies: unknown[] = [];
    const server = await startContractServer({
      enqueue({ body }) {
        bodies.push(body);
        return { id: 'pg-1', created: true };
      },
    });
    onTestFinished(() => server.stop());
    const all =
      'enqueue k --priority -5 --run-at 2026-01-31T13:00:00+01:00 --key a --key-window 2h --tenant t --webhook https://example.com/x --subject s';
    await run(all.split(' '), server.url);
    await run(['enqueue', 'k', '--delay', '5m'], server.url);
    await run(['enqueue', 'k'], server.url);
    expect(bodies).toEqual([
      {
        kind: 'k',
        data: {},
        priority: -5,
        runAt: '2026-01-31T13:00:00+01:00',
        key: 'a',
        keyWindow: '2h',
        tenant: 't',
        webhook: 'https://example.com/x',
        subject: 's',
      },
      { kind: 'k', data: {}, delay: '5m' },
      { kind: 'k', data: {} },
    ]);
  });

  test('tells that the job was there already', async () => {
    const { millrace } = await fixture([aJob({ key: 'k' })]);
    expect(await millrace('enqueue hello --key k')).toMatchObject({
      code: 0,
      stdout: 'pg-1\n',
      stderr: 'pg-1 already existed with the same key.\n',
    });
    expect((await millrace('enqueue hello --key k -q')).stderr).toBe('');
  });

  test('watches the job until it has ended', async () => {
    const { millrace, service } = await fixture();
    const onWait = () => {
      service.jobs = [succeeded()];
    };
    const ran = await millrace('enqueue hello --watch', { onWait });
    expect(ran.code).toBe(0);
    expect(ran.lines).toEqual([
      'pg-1',
      'pg-1  hello  QUEUED      waits for a worker',
      'pg-1  hello  SUCCEEDED   in 1.5 s  {"greeting":"Hello Ada"}',
    ]);
    service.jobs = [];
    const { stdout } = await millrace('enqueue hello --watch --json', { onWait });
    expect(documents(stdout)).toMatchObject([
      { id: 'pg-1', state: 'QUEUED' },
      { id: 'pg-1', state: 'SUCCEEDED' },
    ]);
  });

  test.each([
    [`enqueue`, 2, 'Missing argument'],
    [`enqueue hello {name:1}`, 2, 'The data is not JSON'],
    [`enqueue hello {} extra`, 2, 'does not take "extra"'],
    [`enqueue hello {} --data-file x`, 2, 'either as JSON or with --data-file'],
    [`enqueue hello --data-file nowhere.json`, 2, 'File not found: "nowhere.json".'],
    [`enqueue hello --delay 5m --run-at 2026-01-31T13:00:00Z`, 2, 'either --delay or --run-at'],
    [`enqueue hello --delay 5`, 2, '--delay takes a number with a unit'],
    [`enqueue hello --run-at tomorrow`, 2, '--run-at takes a time such as'],
    [`enqueue hello --priority high`, 2, '--priority takes a whole number'],
    [`enqueue hello --priority 5000`, 4, 'priority'],
    [`enqueue hello '{"name":5}'`, 4, 'does not fit the kind "hello"'],
    [`enqueue nope`, 3, 'Unknown kind "nope".'],
  ])('%s ends with %i', async (command, expected, sentence) => {
    const { millrace, service } = await fixture();
    const { code, stdout, stderr } = await millrace(command);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
    expect(service.jobs).toEqual([]);
  });
});

describe('millrace enqueue --lines', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `{"name":"n${from + index}"}\n`).join('');

  test('makes a job per line, a thousand at a time', async () => {
    const { millrace, service, server } = await fixture();
    const { code, stdout, stderr } = await millrace('enqueue hello --lines --tenant acme', {
      stdin: [
        '\n',
        lines(1, 1_500).slice(0, 7_777),
        lines(1, 1_500).slice(7_777),
        '\r\n{"name":"last"}',
      ],
    });
    expect(code).toBe(0);
    expect(stdout.split('\n')).toHaveLength(1_501 + 1);
    expect(stderr).toBe('1,501 jobs enqueued.\n');
    expect(server.requests).toEqual(['POST /jobs/batch', 'POST /jobs/batch']);
    expect(service.jobs.at(-1)).toMatchObject({ tenant: 'acme', data: { name: 'last' } });
    expect(service.jobs[1_499]).toMatchObject({ data: { name: 'n1500' } });
  });

  test('ends a line at line feeds only: JSON may hold the other separators', async () => {
    const { millrace, service } = await fixture();
    await millrace('enqueue hello --lines', { stdin: '{"name":"a\u2028b\u0085c"}\n' });
    expect(service.jobs.map(({ data }) => data)).toEqual([{ name: 'a\u2028b\u0085c' }]);
  });

  test('keeps a batch below what the server takes', async () => {
    const { millrace, server } = await fixture();
    const long = `{"name":"${'x'.repeat(300_000)}"}\n`;
    await millrace('enqueue hello --lines -q', { stdin: long.repeat(6) });
    expect(server.requests).toHaveLength(2);
  });

  test('shows a bar in a terminal, and a summary instead of ids', async () => {
    const { millrace } = await fixture();
    const path = await file(lines(1, 2_000));
    const ran = await millrace(`enqueue hello --lines --data-file ${path}`, { terminal: 80 });
    expect(ran.stdout).toBe('');
    expect(ran.stderr).toContain('100 %  2,000 jobs');
    expect(screenOf(ran.stderr)).toEqual(['2,000 jobs enqueued.']);
    const quiet = await millrace(`enqueue hello --lines --data-file ${path} -q`, { terminal: 80 });
    expect(quiet.lines).toHaveLength(2_000);
    expect(quiet.stderr).toBe('');
  });

  test('gives JSON Lines', async () => {
    const { millrace } = await fixture();
    const { stdout, stderr } = await millrace('enqueue hello --lines --json', {
      stdin: lines(1, 2),
    });
    expect(stderr).toBe('');
    expect(documents(stdout)).toEqual([
      { id: 'pg-1', created: true },
      { id: 'pg-2', created: true },
    ]);
  });

  test('stops at the line that the server refuses, and names it', async () => {
    const { millrace, service } = await fixture();
    const stdin = `${lines(1, 1_234)}{"name":5}\n${lines(1_236, 1_900)}`;
    const { code, stdout, stderr } = await millrace('enqueue hello --lines', { stdin });
    expect(code).toBe(4);
    expect(stderr).toBe(
      '1,234 jobs enqueued.\nLine 1,235: The data does not fit the kind "hello": name: not a text.\n',
    );
    expect(service.jobs).toHaveLength(1_234);
    expect(stdout.split('\n')).toHaveLength(1_234 + 1);
  });

  test('stops at a line that is not JSON; what is before it has become jobs', async () => {
    const { millrace, service } = await fixture();
    const stdin = `${lines(1, 3)}{name}\n${lines(5, 6)}`;
    const { code, stderr } = await millrace('enqueue hello --lines', { stdin });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^3 jobs enqueued\.\nLine 4 is not JSON: /);
    expect(service.jobs).toHaveLength(3);
  });

  test('does not halve a batch of a kind that nobody knows', async () => {
    const { millrace, server } = await fixture();
    expect((await millrace('enqueue nope --lines', { stdin: lines(1, 8) })).code).toBe(3);
    expect(server.requests).toHaveLength(1);
  });

  test('says which lines may have become jobs when no answer came', async () => {
    const { millrace, service } = await fixture();
    const { enqueueBatch } = service.handlers;
    service.handlers.enqueueBatch = (call) => {
      if (service.jobs.length > 0) throw refusal('store_unavailable', 'The store does not answer.');
      return enqueueBatch?.(call) ?? { jobs: [] };
    };
    const { code, stderr } = await millrace('enqueue hello --lines', { stdin: lines(1, 1_200) });
    expect(code).toBe(5);
    expect(stderr).toBe(
      'It is unknown whether lines 1,001 to 1,200 became jobs.\n1,000 jobs enqueued.\nThe store does not answer.\n',
    );
  });

  test('knows that none has where nothing listens', async () => {
    const server = await startContractServer({});
    await server.stop();
    const none = await run(['enqueue', 'hello', '--lines'], server.url, { stdin: lines(1, 3) });
    expect(none.stderr).toMatch(/^0 jobs enqueued\.\nNo Millrace at /);
  });

  test('takes nothing for nothing', async () => {
    const { millrace } = await fixture();
    expect(await millrace('enqueue hello --lines')).toMatchObject({
      code: 0,
      stderr: '0 jobs enqueued.\n',
    });
  });

  test.each(['--watch', '--key k', `'{}'`])('refuses %s beside it', async (more) => {
    const { millrace } = await fixture();
    expect((await millrace(`enqueue hello --lines ${more}`)).code).toBe(2);
  });
});
