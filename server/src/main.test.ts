import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, createClient } from '@millrace/api';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  BAD_NAME,
  CARELESS,
  HELLO,
  PLAIN,
  RULES,
  SLOW,
  WITHOUT_DEFINE_JOB,
} from '../test/job-files.ts';
import { type Started, build, loadInNode, startMain } from '../test/process.ts';

/** The process as people run it: compiled, by plain Node, far from our node_modules. */

let folder: string;
let running: Started[] = [];

beforeAll(build, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-main-'));
  mkdirSync(join(folder, 'jobs'));
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

function jobFile(name: string, text: string): void {
  writeFileSync(join(folder, 'jobs', name), text);
}

/** Most of these are about something else than who asks. */
const BYPASS = {
  NODE_ENV: 'development',
  AUTH_BYPASS_DEVELOPMENT: 'true',
  MILLRACE_DOCUMENTS: 'false',
};

function main(env: Record<string, string> = BYPASS): Started {
  const started = startMain({ PORT: '0', ...env }, folder);
  running.push(started);
  return started;
}

async function addressOf({ says }: Started): Promise<string> {
  const [, address = ''] = await says(/"address":"([^"]+)"/);
  return address;
}

/** What is told to the command line, with the mode of the file. */
function runningServers(): (RunningServer & { mode: number })[] {
  const files = join(folder, 'state/millrace/running');
  return readdirSync(files).map((name) => {
    const told = JSON.parse(readFileSync(join(files, name), 'utf8')) as RunningServer;
    return { ...told, mode: statSync(join(files, name)).mode & 0o777 };
  });
}

async function tokenOf({
  issuer,
  scope,
  clientId,
  clientSecret,
}: NonNullable<RunningServer['client']>): Promise<string> {
  const found = await fetch(`${issuer}/.well-known/openid-configuration`);
  const { token_endpoint: endpoint } = (await found.json()) as { token_endpoint: string };
  const answer = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    }),
  });
  const { access_token, error } = (await answer.json()) as { access_token: string; error?: string };
  if (error !== undefined) throw new Error(error);
  return access_token;
}

async function refusal(
  env: Record<string, string> = BYPASS,
): Promise<{ code: number | null; said: string }> {
  const { ended, output } = main(env);
  return { code: await ended, said: output() };
}

describe('the jobs folder', () => {
  const load = () => loadInNode(join(folder, 'jobs'));

  test('gives kinds, rules and schedules, from TypeScript and JavaScript, without node_modules near', async () => {
    jobFile('hello.ts', HELLO);
    jobFile('plain.js', PLAIN);
    jobFile('rules.mts', RULES);
    jobFile('helper.mjs', 'export const limit = 3;');
    jobFile('again.ts', `export { hello, hello as other } from './hello.ts';`);
    jobFile('hello.test.ts', 'throw new Error("a test is not a job file");');
    jobFile('types.d.ts', 'export declare const x: number;');
    jobFile('_draft.ts', 'this is not finished');
    jobFile('notes.md', '# nothing');
    mkdirSync(join(folder, 'jobs', 'shared.ts'));
    symlinkSync('jobs', join(folder, 'link'));
    expect((await loadInNode(join(folder, 'link'))).loaded).toEqual({
      kinds: ['hello', 'plain'],
      rules: ['chain'],
      schedules: ['nightly'],
      idle: ['helper.mjs'],
    });
  });

  test.each<[string, string, string, RegExp]>([
    [
      'broken TypeScript',
      'bad.ts',
      'export const = 5;',
      /cannot be loaded: Expected identifier but found "=" \(\S+jobs\/bad\.ts:1\)/,
    ],
    [
      'broken JavaScript',
      'bad.js',
      '\nexport const = 5;',
      /cannot be loaded: Expected identifier but found "=" \(\S+jobs\/bad\.js:2\)/,
    ],
    [
      'a missing package',
      'bad.mjs',
      `// one\nimport 'not-there';`,
      /cannot be loaded: .*not-there.* \(\S+jobs\/bad\.mjs:2\)/,
    ],
    [
      'a missing export',
      'bad.ts',
      `// one\n\nimport { nothing } from '@millrace/engine';\nexport const x = nothing;`,
      /cannot be loaded: .*named 'nothing' \(\S+jobs\/bad\.ts:3\)/,
    ],
    [
      'an error of what it imports',
      'bad.ts',
      `import './shared/rates.ts';`,
      /bad\.ts cannot be loaded: no rates \(\S+jobs\/shared\/rates\.ts:3\)/,
    ],
    ['a missing file', 'bad.ts', `import './missing.ts';`, /cannot be loaded: .*missing/],
    ['a thrown text', 'bad.ts', `throw 'a text';`, /bad\.ts cannot be loaded: a text/],
    [
      'no defineJob',
      'bad.ts',
      WITHOUT_DEFINE_JOB,
      /bad\.ts exports the job kind "k" without defineJob/,
    ],
    [
      'a bad name',
      'bad.ts',
      BAD_NAME,
      /bad\.ts cannot be loaded: "Not A Name" cannot be a kind.* \(\S+bad\.ts:4\)/,
    ],
    ['the same kind twice', 'two.ts', HELLO, /"hello": one in .*hello\.ts, one in .*two\.ts/],
  ])('refuses %s', async (_, name, text, said) => {
    jobFile('hello.ts', HELLO);
    mkdirSync(join(folder, 'jobs/shared'));
    jobFile('shared/rates.ts', `// one\n// two\nthrow new Error('no rates');`);
    jobFile(name, text);
    const { loaded, output } = await load();
    expect(loaded).toBeNull();
    expect(output).toMatch(said);
  });
});

describe('the process does not start', () => {
  test('with wrong settings: it lists them all and ends with 2', async () => {
    const { code, said } = await refusal({ PORT: 'x', MILLRACE_LEAS: '1m', HOST: '0.0.0.0' });
    expect(code).toBe(2);
    expect(said).toMatch(/PORT: .*\n/);
    expect(said).toContain('Did you mean MILLRACE_LEASE?');
  });

  test('with a job file that fails: it names file and reason, without a stack', async () => {
    jobFile('bad.ts', 'throw new Error("the moon is wrong");');
    const { code, said } = await refusal();
    expect(code).toBe(1);
    expect(said).toContain('The job file jobs/bad.ts cannot be loaded: the moon is wrong');
    expect(said).not.toContain('\n    at ');
  });

  test.each([
    [
      'rule',
      `export const chain = { name: 'chain', parents: ['hello'], child: 'nobody', data: () => ({}) };`,
      'jobs/more.ts, export "chain": The rule "chain", child: There is no kind "nobody".',
    ],
    [
      'schedule',
      `export const nightly = { name: 'night', cron: '0 2 * * *', job: { kind: 'hello', data: 5 } };`,
      'jobs/more.ts, export "nightly": The schedule "night", job: The data does not fit the kind "hello"',
    ],
  ])('with a wrong %s: it names file, export and field', async (_, text, sentence) => {
    jobFile('hello.ts', HELLO);
    jobFile('more.ts', text);
    const { code, said } = await refusal();
    expect(code).toBe(1);
    expect(said).toContain(sentence);
    expect(said).not.toContain('\n    at ');
  });

  test('without the folder of jobs that was named', async () => {
    const { code, said } = await refusal({ ...BYPASS, MILLRACE_JOBS: './job' });
    expect(code).toBe(1);
    expect(said).toContain('MILLRACE_JOBS');
  });

  test('with a pool or a rule for a kind that nobody declared, and touches no data', async () => {
    const pool = await refusal({ ...BYPASS, MILLRACE_POOLS: '[{"name":"a","kinds":["nope"]}]' });
    expect(pool.code).toBe(1);
    expect(pool.said).toContain('There is no kind "nope"');
    jobFile('rules.ts', RULES);
    const rule = await refusal();
    expect(rule.code).toBe(1);
    expect(rule.said).toContain('There is no kind "plain"');
    expect(existsSync(join(folder, '.millrace'))).toBe(false);
  });

  test('with a port that is taken: it says so first, and touches no data', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, said } = await refusal({ ...BYPASS, PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(said).toContain(`Port ${port} on 127.0.0.1 is taken`);
    expect(existsSync(join(folder, '.millrace'))).toBe(false);
  });

  test('without its database: it says so, and not the password', async () => {
    const url = 'postgres://ada:hush-hush-hush@127.0.0.1:1/db';
    const { code, said } = await refusal({ ...BYPASS, DATABASE_URL: url });
    expect(code).toBe(1);
    expect(said).toContain('postgres://127.0.0.1:1/db');
    expect(said).not.toContain('hush');
  });
});

describe('the process', { timeout: 120_000 }, () => {
  // A new database takes seconds to make: one is made, each test gets a copy.
  let template: string;
  beforeAll(async () => {
    template = mkdtempSync(join(tmpdir(), 'millrace-template-'));
    const started = startMain({ PORT: '0', ...BYPASS }, template);
    await addressOf(started);
    started.child.kill('SIGTERM');
    await started.ended;
  }, 120_000);
  afterAll(() => rmSync(template, { recursive: true, force: true }));
  beforeEach(() =>
    cpSync(join(template, '.millrace'), join(folder, '.millrace'), { recursive: true }),
  );

  test('runs jobs, careless ones too, stops when told, and remembers', async () => {
    jobFile('hello.ts', HELLO);
    jobFile('careless.ts', CARELESS);
    const first = main();
    const client = createClient({ baseUrl: await addressOf(first) });
    expect(await client.readyz()).toMatchObject({ status: 'ready' });
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'Ada' } } });
    await expect
      .poll(async () => (await client.getJob({ params: { id } })).state, { timeout: 10_000 })
      .toBe('SUCCEEDED');

    await client.enqueue({ body: { kind: 'careless' } });
    await first.says(/nobody waits for me/);
    expect(await client.healthz()).toEqual({ status: 'ok' });

    const { code, said } = await refusal();
    expect(code).toBe(1);
    expect(said).toContain('in use');

    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const again = createClient({ baseUrl: await addressOf(main()) });
    expect((await again.getJob({ params: { id } })).result).toEqual({ greeting: 'Hello Ada' });
  });

  test('lets a running job end, is not ready meanwhile, and takes two signals at once as one', async () => {
    jobFile('slow.ts', SLOW);
    const { child, ended, says, output } = main({ ...BYPASS, LOG_LEVEL: 'debug' });
    const [, address = ''] = await says(/"address":"([^"]+)"/);
    const client = createClient({ baseUrl: address });
    await client.enqueue({ body: { kind: 'slow', data: { ms: 2_000 } } });
    await says(/slow has begun/);
    child.kill('SIGINT');
    child.kill('SIGINT');
    await expect.poll(async () => (await client.readyz()).status).toBe('stopping');
    expect(await ended).toBe(0);
    expect(output()).toContain('job succeeded');
    expect(output()).not.toContain('stopping at once');
    // Whoever probes a replica that stops must not raise an alarm.
    expect(output()).not.toContain('"level":"error"');
  });

  test('ends at once on a second signal', async () => {
    jobFile('slow.ts', SLOW);
    const started = main();
    const client = createClient({ baseUrl: await addressOf(started) });
    await client.enqueue({ body: { kind: 'slow', data: { ms: 60_000 } } });
    await started.says(/slow has begun/);
    started.child.kill('SIGTERM');
    await started.says(/"msg":"stopping"/);
    // Signals that come together are one, so the second has to come later.
    await new Promise((resolve) => setTimeout(resolve, 600));
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(1);
  });

  test('asks who someone is, of an issuer of its own; the machine’s own client is let in', async () => {
    jobFile('hello.ts', HELLO);
    const first = main({ MILLRACE_DOCUMENTS: 'false' });
    const baseUrl = await addressOf(first);
    await expect(createClient({ baseUrl }).counts()).rejects.toMatchObject({
      problem: { code: 'unauthenticated' },
    });
    const [told] = runningServers();
    expect(told).toMatchObject({ url: baseUrl, folder, pid: first.child.pid, mode: 0o600 });
    const local = told?.client ?? null;
    if (local === null) throw new Error('the command line is not let in');
    const token = await tokenOf(local);
    const client = createClient({ baseUrl, token: () => Promise.resolve(token) });
    expect(await client.me()).toMatchObject({ name: 'app:millrace-local', roles: ['admin'] });
    expect(first.output()).not.toContain(local.clientSecret);

    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(runningServers()).toEqual([]);
    // The issuer has kept its name and its keys: who was signed in still is.
    const again = await addressOf(main({ MILLRACE_DOCUMENTS: 'false' }));
    const later = createClient({ baseUrl: again, token: () => Promise.resolve(token) });
    expect(await later.me()).toMatchObject({ name: 'app:millrace-local' });
    // What was told before opens nothing any more.
    await expect(tokenOf(local)).rejects.toThrow('invalid_client');
  });

  test('starts again with job files that change, and goes on with the old ones where they are wrong', async () => {
    mkdirSync(join(folder, 'jobs/shared'));
    const version = (words: string) => `export const words = '${words}';`;
    jobFile('shared/words.ts', version('first'));
    jobFile(
      'say.ts',
      `import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
import { words } from './shared/words.ts';
export const say = defineJob({ kind: 'say', input: z.object({}), public: true, run: async () => done(words) });`,
    );
    const started = main({ ...BYPASS, MILLRACE_DOCUMENTS: 'false' });
    const client = createClient({ baseUrl: await addressOf(started) });
    const said = async () => {
      const { id } = await client.enqueue({ body: { kind: 'say' } });
      for await (const event of client.events({ query: { id, topics: 'job' } }))
        if (event.type === 'job' && event.job.state === 'SUCCEEDED') break;
      return (await client.getJob({ params: { id } })).result;
    };
    expect(await said()).toBe('first');
    jobFile('shared/words.ts', 'export const words = ;');
    await started.says(/Unexpected .*\(jobs\/shared\/words\.ts:1\).*as they were before go on/);
    expect(await said()).toBe('first');
    jobFile('shared/words.ts', version('second'));
    await started.says(/Job files have changed: starting again\./);
    await started.says(/Started again, with say\./);
    expect(await said()).toBe('second');
    // The kinds are right, and the rule is not: what ran before runs again.
    jobFile(
      'rule.ts',
      `export const chain = { name: 'chain', parents: ['say'], child: 'nobody', data: () => ({}) };`,
    );
    await started.says(/There is no kind .{0,3}nobody.*as they were before go on/);
    expect(await said()).toBe('second');
    expect(started.output().match(/All job files load again\./g)).toHaveLength(1);
    // As it was before the mistake, by a rename as editors and `sed -i` do it, and beside a file that declares nothing.
    jobFile('.miss.ts.new', 'const forgotten = 1;');
    renameSync(join(folder, 'jobs/.miss.ts.new'), join(folder, 'jobs/rule.ts'));
    await started.says(/(All job files load again\.[^]*){2}Started again, with say\./);
    await started.says(/jobs\/rule\.ts exports no job kind, rule or schedule\./);
    started.child.kill('SIGTERM');
    expect(await started.ended).toBe(0);
  });

  test('serves metrics, live events and its own description', async () => {
    jobFile('hello.ts', HELLO);
    const started = main({ ...BYPASS, MILLRACE_METRICS_PORT: '0' });
    const baseUrl = await addressOf(started);
    const client = createClient({ baseUrl });
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'Ada' } } });
    for await (const event of client.events({ query: { id, topics: 'job' } }))
      if (event.type === 'job' && event.job.state === 'SUCCEEDED') break;
    expect(await client.metrics()).toMatch(/^job_duration_ms_count\{.*kind="hello".*\} 1/m);
    const [, metrics = ''] = await started.says(/"metrics":"([^"]+)"/);
    expect(await (await fetch(metrics)).text()).toContain('queue_depth');
    expect(await client.openapi()).toMatchObject({ openapi: '3.1.0' });
    expect(await client.docs()).toContain('/jobs/batch');
  });
});
