import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

// Every command of the tutorial in its order, as a newcomer comes by it: in a folder like a fresh clone, against the built
// server.

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
let folder: string;
let server: ChildProcess;
let address: string;
let blocks: Block[];

interface Block {
  readonly language: string;
  readonly text: string;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-tutorial-'));
  blocks = blocksOf(await readFile(join(root, 'docs/first-job.md'), 'utf8'));
  await mkdir(join(folder, 'jobs'));
  await cp(join(root, 'jobs/checksum-folder.ts'), join(folder, 'jobs/checksum-folder.ts'));
  await writeFile(join(folder, 'jobs/hello.ts'), blockOf(blocks, 'ts'));
  // As it is cloned: without what was installed and built for the site.
  const filter = (path: string) => !/[\\/](node_modules|dist)$/.test(path);
  await cp(join(root, 'docs'), join(folder, 'docs'), { recursive: true, filter });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  server = spawn(process.execPath, [join(root, 'server/dist/main.js')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      XDG_STATE_HOME: join(folder, 'state'),
      PORT: '0',
      MILLRACE_DOCUMENTS: 'false',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await addressOf(server);
}, 120_000);

afterAll(async () => {
  if (server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

it('is true, command by command', { timeout: 120_000 }, async () => {
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'sh' || text.startsWith('npm start')) continue;
    const said = await shell(text);
    const expected = blocks[index + 1];
    if (expected?.language !== '') continue;
    for (const line of expected.text.split('\n'))
      expect(essence(said), text).toContain(essence(line));
  }
});

/** Exit code 1 is a job that failed, 4 a request that was refused: the tutorial shows both. */
async function shell(command: string): Promise<string> {
  const script = command
    .replaceAll('npx millrace', 'millrace')
    .replaceAll('localhost:3000', new URL(address).host);
  const env = {
    PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    XDG_STATE_HOME: join(folder, 'state'),
  };
  // As in the one shell of the reader, what a block has set is there in the next.
  const whole = `[ -f id ] && id=$(cat id)\n${script}\necho "$id" > id`;
  const ended = await run('bash', ['-ec', whole], { cwd: folder, env }).catch(
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
  if ('code' in ended) expect([1, 4], `${command}\n${ended.stderr}`).toContain(ended.code);
  return ended.stdout + ended.stderr;
}

/** Without what differs from run to run: times, numbers of jobs, and how text is laid out. */
function essence(text: string): string {
  return text
    .replaceAll(/in \d[^ ]* m?s/g, '')
    .replaceAll(/\bpg-\d+/g, 'pg-N')
    .replaceAll(/\s*…/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/```(\w*)\n(.*?)\n```/gs)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

function blockOf(from: readonly Block[], language: string): string {
  return from.find((block) => block.language === language)?.text ?? '';
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const piece of child.stdout ?? []) {
    output += String(piece);
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`The server did not start: ${output}`);
}
