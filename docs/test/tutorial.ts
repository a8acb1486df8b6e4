import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { need } from '../../scripts/need.mjs';
import { startMain } from '../../server/test/process.ts';
import { type Block, sectionsOf } from './markdown.ts';
import { root } from './tree.ts';

await need('build');

const run = promisify(execFile);

/** Somebody who follows a tutorial: a folder like a fresh clone, the built server in it, and a shell. */
export interface Tutorial {
  /** A file that a command has made. */
  made(name: string): Promise<Buffer>;
  shell(command: string): Promise<Ran>;
  /** Every command of a page in its order: it ends as the page says, and says what the page shows below it. */
  follow(page: string, eachRan?: (block: Block, ran: Ran) => void): Promise<void>;
  close(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly said: string;
}

/** Looks at a query every 200 ms, where a real Marketing Cloud would be asked every few seconds. */
export const IMPATIENT = {
  SHELL_QUERY_INITIAL_DELAY: '200ms',
  SHELL_QUERY_MAX_DELAY: '200ms',
  SHELL_QUERY_ROWSET_READY_INITIAL_DELAY: '50ms',
};

export async function startTutorial(params: {
  readonly settings: Readonly<Record<string, string>>;
  /** Folders of the project that the commands read from. */
  readonly folders?: readonly string[];
  /** Files that the reader has written, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
}): Promise<Tutorial> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-tutorial-'));
  for (const name of params.folders ?? []) {
    // As it is cloned: without what was installed and built for the site.
    const filter = (path: string) => !/[\\/](node_modules|dist)$/.test(path);
    await cp(join(root, name), join(folder, name), { recursive: true, filter });
  }
  for (const [name, text] of Object.entries(params.files ?? {})) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const server = startMain({ PORT: '0', ...params.settings }, folder);
  const [address] = await server.says(/http:\/\/127\.0\.0\.1:\d+/);

  async function shell(command: string): Promise<Ran> {
    const script = command
      .replaceAll('npx millrace', 'millrace')
      .replaceAll('localhost:3000', new URL(address).host);
    const env = {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
      TMPDIR: tmpdir(),
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

  return {
    shell,
    made: (name) => readFile(join(folder, name)),
    async follow(page, eachRan) {
      const blocks = await blocksOf(page);
      for (const [index, block] of blocks.entries()) {
        const { language, notes, text } = block;
        if (language !== 'sh' || text.startsWith('npm start')) continue;
        const ran = await shell(text);
        expect(ran.code, `${text}\n${ran.said}`).toBe(Number(notes['exit'] ?? 0));
        eachRan?.(block, ran);
        const shown = blocks[index + 1];
        if (shown?.language === '') expect(ran.said).toContain(shown.text);
      }
    },
    async close() {
      server.child.kill('SIGTERM');
      await server.ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The blocks of a page, or of one of its sections. */
export async function blocksOf(page: string, section?: string): Promise<Block[]> {
  return sectionsOf(await readFile(join(root, page), 'utf8'))
    .filter(({ title }) => section === undefined || title === section)
    .flatMap(({ blocks }) => blocks);
}
