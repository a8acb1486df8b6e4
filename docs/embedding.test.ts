import { mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMillrace } from 'millrace';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { useDatabases } from '../millrace/test/databases.ts';
import { operate } from '../millrace/test/documented/operate.ts';
import { confirmOrder } from '../millrace/test/documented/orders.ts';
import { openWeb, startWorker } from '../millrace/test/documented/processes.ts';
import { stopOnSignal } from '../millrace/test/documented/shutdown.ts';
import { order as orderWithAnything } from '../millrace/test/documented/with-anything.ts';
import { order as orderWithPg } from '../millrace/test/documented/with-pg.ts';
import { open } from '../millrace/test/open.ts';
import { sectionsOf } from './test/markdown.ts';
import { root } from './test/tree.ts';

// Every block of the page is a part of a file that runs here, in millrace/src/orms.test.ts or in millrace/test/prisma, and so
// is checked by the compiler too.

const { fresh } = useDatabases();
const documented = join(root, 'millrace/test/documented');
const prisma = join(root, 'millrace/test/prisma');
const page = await readFile(join(root, 'docs/embedding.md'), 'utf8');

describe('the blocks', async () => {
  const places = [documented, prisma].map(async (folder) =>
    (await readdir(folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const files = (await Promise.all(places)).flat();
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  const blocks = sectionsOf(page).flatMap(({ title, blocks: found }) =>
    found.map(({ text }, index) => [`${title}, block ${index + 1}`, text] as const),
  );

  it.each(blocks)('%s', (_, text) => {
    expect(texts.filter((each) => flat(each).includes(flat(text)))).toHaveLength(1);
  });
});

/** Line by line, however far they are moved to the right. */
function flat(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');
}

it('the options are those that there are', async () => {
  const { text = '' } = sectionsOf(page).find(({ title }) => title === 'Options') ?? {};
  const listed = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  const strange = { xyz: 1 } as unknown as Parameters<typeof createMillrace>[0];
  await expect(createMillrace(strange)).rejects.toThrow(`There are ${listed.join(', ')}.`);
});

it('five lines', async () => {
  const { url } = await fresh();
  vi.stubEnv('DATABASE_URL', url);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  onTestFinished(() => {
    vi.unstubAllEnvs();
    log.mockRestore();
  });
  await import('../millrace/test/documented/quick-start.ts');
  expect(log.mock.calls).toEqual([['SUCCEEDED', 'Good morning, Ada.']]);
});

it('transactions, several processes, what one can do, and the end', async () => {
  const { pool } = await fresh();
  await pool.query('CREATE TABLE orders (id serial PRIMARY KEY, article text NOT NULL)');
  const web = await openWeb(pool);
  onTestFinished(() => web.stop());
  await orderWithPg(pool, web, 'chair');
  const query = async (sql: string, values?: unknown[]): Promise<object[]> =>
    (await pool.query(sql, values)).rows as object[];
  await orderWithAnything({ query }, web, 'table');
  const worker = await startWorker(pool);
  const { jobs } = await web.list();
  const found = await Promise.all(jobs.map(({ id }) => web.finished(id)));
  expect(found.map(({ result }) => result)).toEqual([
    'The table is on its way.',
    'The chair is on its way.',
  ]);
  expect(worker.status().id).toMatch(/^shop-worker-/);

  const before = process.listeners('SIGTERM');
  const closed: string[] = [];
  const ended = new Promise<void>((resolve) => {
    const close = () => void closed.push('server');
    const end = async () => resolve();
    stopOnSignal({ close } as never, worker, { end } as never);
  });
  const [handler] = process.listeners('SIGTERM').filter((each) => !before.includes(each));
  if (handler === undefined) throw new Error('Nobody listens.');
  process.off('SIGTERM', handler);
  handler('SIGTERM');
  await ended;
  expect(closed).toEqual(['server']);
  expect(worker.status().state).toBe('stopped');
});

it('what one can do with jobs', async () => {
  const { pool } = await fresh();
  const millrace = await open({ database: pool, jobs: [confirmOrder] });
  const [state, count, sentence] = await operate(millrace);
  expect([state, count]).toEqual(['QUEUED', '3']);
  expect(sentence).toMatch(/^It is not due before /);
});

describe('in tests', async () => {
  await import('../millrace/test/documented/in-tests.ts');
});

it('documents without a server', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-embedding-'));
  await symlink(join(root, 'examples'), join(folder, 'examples'));
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(async () => {
    process.chdir(before);
    await rm(folder, { recursive: true, force: true });
  });
  await import('../millrace/test/documented/make-invoice.ts');
  expect((await readFile(join(folder, 'invoice.pdf'))).subarray(0, 5).toString()).toBe('%PDF-');
});
