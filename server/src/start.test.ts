import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BAD_NAME, HELLO, PLAIN, RULES, WITHOUT_DEFINE_JOB } from '../test/job-files.ts';
import { BYPASS, folder, jobFile, refusal } from '../test/main.ts';
import { loadInNode } from '../test/process.ts';

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
    [
      'a missing file',
      'bad.ts',
      `// one\nimport './missing.ts';`,
      /cannot be loaded: .*missing.* \(\S+jobs\/bad\.ts:2\)/,
    ],
    [
      'a missing file of what it imports',
      'bad.ts',
      `import './shared/lost.ts';`,
      /bad\.ts cannot be loaded: .*missing.* \(\S+jobs\/shared\/lost\.ts:3\)/,
    ],
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
    jobFile('shared/lost.ts', `// one\n// two\nimport '../missing.ts';`);
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

  test('with a Millrace on its port already: it names that one', async () => {
    const answer = JSON.stringify({ status: 'ready', checks: [] });
    const other = createHttpServer((_, response) => response.end(answer));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, said } = await refusal({ ...BYPASS, PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(said).toContain(`Millrace already runs at http://127.0.0.1:${port}. Use that one`);
  });

  test('without its database: it says so, and not the password', async () => {
    const url = 'postgres://ada:hush-hush-hush@127.0.0.1:1/db';
    const { code, said } = await refusal({ ...BYPASS, DATABASE_URL: url });
    expect(code).toBe(1);
    expect(said).toContain('postgres://127.0.0.1:1/db');
    expect(said).not.toContain('hush');
  });
});
