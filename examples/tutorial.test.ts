import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../connectors/office/test/documents.ts';
import { sectionsOf } from '../docs/test/markdown.ts';
import { unzip } from '../docx/test/builder.ts';
import { type Started, build, startMain } from '../server/test/process.ts';

/** Every command of the tutorial in its order, in a folder like a fresh clone, against the built server. */

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
let folder: string;
let server: Started;
let address: string;

beforeAll(async () => {
  build();
  await run(join(root, 'node_modules/.bin/tsc'), ['-b', 'cli'], { cwd: root });
  folder = await mkdtemp(join(tmpdir(), 'millrace-documents-tutorial-'));
  await cp(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  server = startMain({ PORT: '0', CONVERSION_MAX_CONCURRENT: '1' }, folder);
  [address = ''] = await server.says(/http:\/\/127\.0\.0\.1:\d+/);
}, 240_000);

afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.ended;
  await rm(folder, { recursive: true, force: true });
}, 60_000);

it('is true, command by command', { timeout: 180_000 }, async () => {
  const markdown = await readFile(join(root, 'docs/documents.md'), 'utf8');
  const blocks = sectionsOf(markdown).flatMap((section) => section.blocks);
  for (const [index, { language, notes, text }] of blocks.entries()) {
    if (language !== 'sh' || text.startsWith('npm start')) continue;
    const { code, said } = await shell(text);
    expect(code, `${text}\n${said}`).toBe(Number(notes['exit'] ?? 0));
    const shown = blocks[index + 1];
    if (shown?.language === '') expect(said).toContain(shown.text);
  }
  const made = (name: string) => readFile(join(folder, name));
  expect(textOf(await made('invoice.pdf'))).toContain('€4,002.57');
  expect(textOf(await made('rechnung.pdf'))).toContain('31. Oktober 2026');
  expect(textOf(await made('from-http.pdf'))).toContain('€4,002.57');
  expect(textOf(await made('report.pdf'))).toContain('All regions');
  expect([...unzip(await made('invoice.docx')).keys()]).toContain('word/document.xml');
  expect([...unzip(await made('offers.zip')).keys()].toSorted()).toEqual([
    'Offer Mara Lindqvist.pdf',
    'Offer Saoirse O’Neill.pdf',
    'Offer Tomás Oliveira.pdf',
  ]);
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
