import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { BAD_NAME, HELLO, PLAIN, RULES, WITHOUT_DEFINE_JOB } from '../test/job-files.ts';
import { BYPASS, folder, jobFile, refusal, useFolder } from '../test/main.ts';
import { loadInNode, refusedInNode } from '../test/process.ts';
import { inFast, inLong } from '../../scripts/suite.ts';

useFolder();

describe('the jobs folder', () => {
  inFast(
    'gives kinds, rules and schedules, from TypeScript and JavaScript, without node_modules near',
    async () => {
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
    },
  );

  /** The mistake, its file, the file's text, and the expected error. */
  const WRONG: readonly [string, string, string, RegExp][] = [
    [
      'broken TypeScript',
      'bad.ts',
      'export const = 5;',
      /cannot be loaded: Expected identifier but found "=" \(.+\/bad\.ts:1\)/,
    ],
    [
      'broken JavaScript',
      'bad.js',
      '\nexport const = 5;',
      /cannot be loaded: Expected identifier but found "=" \(.+\/bad\.js:2\)/,
    ],
    [
      'a missing package',
      'bad.mjs',
      `// one\nimport 'not-there';`,
      /cannot be loaded: .*not-there.* \(.+\/bad\.mjs:2\)/,
    ],
    [
      'a missing export',
      'bad.ts',
      `// one\n\nimport { nothing } from '@millrace/engine';\nexport const x = nothing;`,
      /cannot be loaded: .*named 'nothing' \(.+\/bad\.ts:3\)/,
    ],
    [
      'an error of what it imports',
      'bad.ts',
      `import './shared/rates.ts';`,
      /bad\.ts cannot be loaded: no rates \(.+\/shared\/rates\.ts:3\)/,
    ],
    [
      'a missing file',
      'bad.ts',
      `// one\nimport './missing.ts';`,
      /cannot be loaded: .*missing.* \(.+\/bad\.ts:2\)/,
    ],
    [
      'a missing file of what it imports',
      'bad.ts',
      `import './shared/lost.ts';`,
      /bad\.ts cannot be loaded: .*missing.* \(.+\/shared\/lost\.ts:3\)/,
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
      /bad\.ts cannot be loaded: "Not A Name" cannot be a kind.* \(.+bad\.ts:4\)/,
    ],
    ['the same kind twice', 'two.ts', HELLO, /"hello": one in .*hello\.ts, one in .*two\.ts/],
    [
      'a wrong rule',
      'more.ts',
      `export const chain = { name: 'chain', parents: ['hello'], child: 'nobody', data: () => ({}) };`,
      /more\.ts, export "chain": The rule "chain", child: There is no kind "nobody"\./,
    ],
    [
      'a wrong schedule',
      'more.ts',
      `export const nightly = { name: 'night', cron: '0 2 * * *', job: { kind: 'hello', data: 5 } };`,
      /more\.ts, export "nightly": The schedule "night", job: The data does not fit the kind "hello"/,
    ],
  ];

  inFast('is refused with file, line and reason where something is wrong', async () => {
    jobFile('hello.ts', HELLO);
    for (const [what, file, text] of WRONG) {
      mkdirSync(join(folder, 'jobs', what, 'shared'), { recursive: true });
      jobFile(`${what}/hello.ts`, HELLO);
      jobFile(`${what}/shared/rates.ts`, `// one\n// two\nthrow new Error('no rates');`);
      jobFile(`${what}/shared/lost.ts`, `// one\n// two\nimport '../missing.ts';`);
      jobFile(`${what}/${file}`, text);
    }
    // In one process: each of its own takes a second.
    const names = WRONG.map(([what]) => what);
    const { refusals } = await loadInNode(join(folder, 'jobs'), names);
    expect(refusals).toEqual(
      Object.fromEntries(WRONG.map(([what, , , said]) => [what, expect.stringMatching(said)])),
    );
  });
});

describe('the process does not start', () => {
  inFast('with wrong settings: it lists them all and ends with 2', async () => {
    writeFileSync(join(folder, 'millrace.yaml'), 'PORT: 70000\n');
    const { code, said } = await refusal({ PORT: '', MILLRACE_LEAS: '1m', HOST: '0.0.0.0' });
    expect(code).toBe(2);
    expect(said).toContain('millrace.yaml:1:1: PORT: Write a whole number from 0 to 65535.');
    expect(said).toContain('Did you mean MILLRACE_LEASE?');
  });

  inLong('with a job file that fails: it names file and reason, without a stack', async () => {
    jobFile('bad.ts', 'throw new Error("the moon is wrong");');
    const { code, said } = await refusal();
    expect(code).toBe(1);
    expect(said).toContain('The job file jobs/bad.ts cannot be loaded: the moon is wrong');
    expect(said).not.toContain('\n    at ');
  });

  // Each in its own words, and before it has touched any data.
  inLong('without its folder, kinds, port or database', async () => {
    mkdirSync(join(folder, 'rules'));
    writeFileSync(join(folder, 'rules/rules.ts'), RULES);
    const taken = await listening(createServer());
    const ready = JSON.stringify({ status: 'ready', checks: [] });
    const millrace = await listening(createHttpServer((_, response) => response.end(ready)));
    const database = 'postgres://ada:hush-hush-hush@127.0.0.1:1/db';
    const REFUSED: readonly [Record<string, string>, string][] = [
      [{ MILLRACE_JOBS: './job' }, 'MILLRACE_JOBS'],
      [{ MILLRACE_POOLS: '[{"name":"a","kinds":["nope"]}]' }, 'There is no kind "nope"'],
      [{ MILLRACE_JOBS: './rules' }, 'There is no kind "plain"'],
      [{ PORT: `${taken}` }, `Port ${taken} on 127.0.0.1 is taken`],
      [
        { PORT: `${millrace}` },
        `Millrace already runs at http://127.0.0.1:${millrace}. Use that one`,
      ],
      [{ DATABASE_URL: database }, 'postgres://127.0.0.1:1/db'],
    ];
    const all = REFUSED.map(([settings]) => ({ ...BYPASS, ...settings }));
    const refusals = await refusedInNode(folder, all);
    expect(refusals).toEqual(REFUSED.map(([, said]) => expect.stringContaining(said)));
    expect(refusals.join()).not.toContain('hush');
    expect(existsSync(join(folder, '.millrace'))).toBe(false);
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
