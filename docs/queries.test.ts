import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Started, build, startMain } from '../server/test/process.ts';
import { sectionsOf } from './test/markdown.ts';

/**
 * Every command of the tutorial and of the README's query in their order, in a folder of its own, against the built server as
 * `npm start` has it: with its simulated Marketing Cloud, which runs the SQL.
 */

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
let folder: string;
let server: Started;
let address: string;

beforeAll(async () => {
  build();
  await run(join(root, 'node_modules/.bin/tsc'), ['-b', 'cli'], { cwd: root });
  folder = await mkdtemp(join(tmpdir(), 'millrace-queries-tutorial-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  server = startMain({ PORT: '0', MILLRACE_DOCUMENTS: 'false' }, folder);
  [address = ''] = await server.says(/http:\/\/127\.0\.0\.1:\d+/);
}, 240_000);

afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function blocksOf(file: string, section?: string) {
  return sectionsOf(await readFile(join(root, file), 'utf8'))
    .filter(({ title }) => section === undefined || title === section)
    .flatMap(({ blocks }) => blocks);
}

it('is true, command by command', { timeout: 300_000 }, async () => {
  const blocks = await blocksOf('docs/queries.md');
  for (const [index, { language, notes, text }] of blocks.entries()) {
    if (language !== 'sh' || text.startsWith('npm start')) continue;
    const { code, said } = await shell(text);
    expect(code, `${text}\n${said}`).toBe(Number(notes['exit'] ?? 0));
    if (notes['exit'] === '4') expect(said).toMatch(/\n {4}\| +\^\n/);
    const shown = blocks[index + 1];
    if (shown?.language === '') expect(said).toContain(shown.text);
  }
  const made = (name: string) => readFile(join(folder, name));
  expect((await made('opens.csv')).toString()).toMatch(/^JobID,Opens\r\n(5\d{3},\d+\r\n)+$/);
  expect((await made('opens.xlsx')).subarray(0, 2).toString()).toBe('PK');
  expect((await made('run.csv')).toString()).toContain('5000,Newsletter 1\r\n');
});

it('is true of the README too', { timeout: 120_000 }, async () => {
  const commands = await blocksOf('README.md', 'A query');
  expect(commands).toHaveLength(1);
  await rm(join(folder, 'opens.xlsx'), { force: true });
  for (const { text } of commands) {
    const { code, said } = await shell(text);
    expect(code, `${text}\n${said}`).toBe(0);
    expect(said).toContain('Newsletter 9');
  }
});

async function shell(command: string): Promise<{ code: number; said: string }> {
  const script = command
    .replaceAll('npx millrace', 'millrace')
    .replaceAll('localhost:3000', new URL(address).host);
  const env = {
    PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    MILLRACE_URL: address,
    XDG_STATE_HOME: join(folder, 'state'),
  };
  const options = { cwd: folder, env };
  const ended = await run('bash', ['-eo', 'pipefail', '-c', script], options).then(
    (done) => ({ ...done, code: 0 }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  return { code: ended.code, said: ended.stdout + ended.stderr };
}
