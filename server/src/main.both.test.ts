import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningServer, createClient } from '@millrace/api';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type TestDatabase, bareDatabase } from '../../stores/postgres/test/databases.ts';
import { CARELESS, HELLO, PLAIN, SLOW } from '../test/job-files.ts';
import { inFast, inLong } from '../../scripts/suite.ts';
import { BYPASS, addressOf, folder, jobFile, main, refusal, useFolder } from '../test/main.ts';

useFolder();

/** The advertised entry, with the mode of its file. */
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

inFast(
  'on a database of its own: asks who someone is, runs jobs, careless ones too, serves metrics, stops when asked, and remembers',
  { timeout: 120_000 },
  async () => {
    jobFile('hello.ts', HELLO);
    jobFile('careless.ts', CARELESS);
    const env = { MILLRACE_DOCUMENTS: 'false', MILLRACE_METRICS_PORT: '0' };
    const first = main(env);
    const baseUrl = await addressOf(first);

    // The issuer is its own, and the machine's own client is let in.
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

    expect(await client.readyz()).toMatchObject({ status: 'ready' });
    const { id } = await client.enqueue({ body: { kind: 'hello', data: { name: 'Ada' } } });
    for await (const event of client.events({ query: { id, topics: 'job' } }))
      if (event.type === 'job' && event.job.state === 'SUCCEEDED') break;
    await client.enqueue({ body: { kind: 'careless' } });
    await first.says(/nobody waits for me/);
    expect(await client.healthz()).toEqual({ status: 'ok' });

    expect(await client.metrics()).toMatch(/^job_duration_seconds_count\{.*kind="hello".*\} 1/m);
    const [, metrics = ''] = await first.says(/"metrics":"([^"]+)"/);
    expect(await (await fetch(metrics)).text()).toContain('queue_depth');
    expect(await client.openapi()).toMatchObject({ openapi: '3.1.0' });
    expect(await client.docs()).toContain('/jobs/batch');

    const { code, said } = await refusal();
    expect(code).toBe(1);
    expect(said).toContain('in use');

    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(runningServers()).toEqual([]);
    const again = createClient({
      baseUrl: await addressOf(main(env)),
      token: () => Promise.resolve(token),
    });
    expect((await again.getJob({ params: { id } })).result).toEqual({ greeting: 'Hello Ada' });
    // The issuer has kept its name and its keys: who was signed in still is.
    expect(await again.me()).toMatchObject({ name: 'app:millrace-local' });
    // What was told before opens nothing any more.
    await expect(tokenOf(local)).rejects.toThrow('invalid_client');
  },
);

describe('the process', { timeout: 120_000 }, () => {
  // To make an embedded database takes seconds, and none of these is about it.
  let database: TestDatabase;
  beforeAll(async () => {
    database = await bareDatabase();
  });
  afterAll(() => database.drop());
  const settings = () => ({ ...BYPASS, DATABASE_URL: database.url });

  inLong('who is asked to stop while it starts does not say that it has started', async () => {
    // A start is as slow as its job files: this one does not go on before the signal is there.
    jobFile(
      'slow.mjs',
      `const heard = new Promise((resolve) => process.once('SIGTERM', resolve));
     process.kill(process.pid, 'SIGTERM');
     await heard;`,
    );
    const { ended, output } = main(settings());
    expect(await ended).toBe(0);
    expect(output()).toContain('stopping');
    expect(output()).not.toContain('has started');
  });

  inLong(
    'has its settings from a file, and from the environment where both say something',
    async () => {
      // As an editor on Windows saves it.
      writeFileSync(
        join(folder, 'millrace.yaml'),
        '\uFEFFPORT: 70000\r\nMILLRACE_ENVIRONMENT: rehearsal\r\nMILLRACE_JOBS: work # not jobs\r\n',
      );
      mkdirSync(join(folder, 'work'));
      writeFileSync(join(folder, 'work/hello.ts'), HELLO);
      const started = main(settings());
      const client = createClient({ baseUrl: await addressOf(started) });
      expect((await client.me()).environment).toBe('rehearsal');
      expect((await client.listKinds()).kinds.map(({ name }) => name)).toContain('hello');
    },
  );

  inFast(
    'lets a running job end, is not ready meanwhile, and takes two signals at once as one',
    async () => {
      jobFile('slow.ts', SLOW);
      const { child, ended, says, output } = main({ ...settings(), LOG_LEVEL: 'debug' });
      const [, address = ''] = await says(/"address":"([^"]+)"/);
      const client = createClient({ baseUrl: address });
      await client.enqueue({ body: { kind: 'slow', data: { ms: 1_000 } } });
      await says(/slow has begun/);
      child.kill('SIGINT');
      child.kill('SIGINT');
      await expect.poll(async () => (await client.readyz()).status).toBe('stopping');
      expect(await ended).toBe(0);
      expect(output()).toContain('job succeeded');
      expect(output()).not.toContain('stopping at once');
      // Whoever probes a replica that stops must not raise an alarm.
      expect(output()).not.toContain('"level":"error"');
    },
  );

  inLong('ends at once on a second signal', async () => {
    jobFile('slow.ts', SLOW);
    const started = main(settings());
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

  inLong(
    'starts again with job files that change, and goes on with the old ones where they are wrong',
    async () => {
      mkdirSync(join(folder, 'jobs/shared'));
      const version = (words: string) => `export const words = '${words}';`;
      jobFile('shared/words.ts', version('first'));
      jobFile(
        'say.ts',
        `import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
import { words } from './shared/words.ts';
import { inFast, inLong } from '../../scripts/suite.ts';
export const say = defineJob({ kind: 'say', input: z.object({}), public: true, run: async () => done(words) });`,
      );
      const started = main(settings());
      const client = createClient({ baseUrl: await addressOf(started) });
      const said = async () => {
        const { id } = await client.enqueue({ body: { kind: 'say' } });
        for await (const event of client.events({ query: { id, topics: 'job' } }))
          if (event.type === 'job' && event.job.state === 'SUCCEEDED') break;
        return (await client.getJob({ params: { id } })).result;
      };
      expect(await said()).toBe('first');
      jobFile('shared/words.ts', 'export const words = ;');
      await started.says(
        /Unexpected .*\(jobs\/shared\/words\.ts:1\).*Still running the previous job files/,
      );
      expect(await said()).toBe('first');
      jobFile('shared/words.ts', version('second'));
      await started.says(/Job files changed: reloading\./);
      await started.says(/Started again, with say\./);
      expect(await said()).toBe('second');
      // The kinds are right, and the rule is not: what ran before runs again.
      jobFile(
        'rule.ts',
        `export const chain = { name: 'chain', parents: ['say'], child: 'nobody', data: () => ({}) };`,
      );
      await started.says(/There is no kind .{0,3}nobody.*Still running the previous job files/);
      expect(await said()).toBe('second');
      expect(started.output().match(/All job files load again\./g)).toHaveLength(1);
      // As it was before the mistake, by a rename as editors and `sed -i` do it, and beside a file that declares nothing.
      jobFile('.miss.ts.new', 'const forgotten = 1;');
      renameSync(join(folder, 'jobs/.miss.ts.new'), join(folder, 'jobs/rule.ts'));
      await started.says(/(All job files load again\.[^]*){2}Started again, with say\./);
      await started.says(/jobs\/rule\.ts exports no job kind, rule or schedule\./);
      started.child.kill('SIGTERM');
      expect(await started.ended).toBe(0);
    },
  );

  inFast(
    'who was let in before job files changed still is, at the same address, and nobody is refused meanwhile',
    async () => {
      jobFile('hello.ts', HELLO);
      const started = main({ DATABASE_URL: database.url, MILLRACE_DOCUMENTS: 'false' });
      const baseUrl = await addressOf(started);
      const [told] = runningServers();
      const local = told?.client ?? null;
      if (local === null) throw new Error('the command line is not let in');
      const token = await tokenOf(local);
      let isOver = false;
      // Each on a connection of its own, as every command is.
      const ask = async () => {
        const answers: number[] = [];
        const headers = { connection: 'close', authorization: `Bearer ${token}` };
        while (!isOver) answers.push((await fetch(`${baseUrl}/me`, { headers })).status);
        return answers;
      };
      const asking = Promise.all([ask(), ask()]);
      jobFile('more.ts', PLAIN);
      await started.says(/Started again, with hello, plain\./);
      isOver = true;
      expect(new Set((await asking).flat())).toEqual(new Set([200]));
      expect(runningServers()).toEqual([told]);
      // The client of the command line, and with it the issuer and its keys, is the one of before.
      const client = createClient({ baseUrl, token: () => tokenOf(local) });
      expect(await client.me()).toMatchObject({ name: 'app:millrace-local' });
      started.child.kill('SIGTERM');
      expect(await started.ended).toBe(0);
      expect(runningServers()).toEqual([]);
    },
  );
});
