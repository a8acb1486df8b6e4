import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { need } from '../../scripts/need.mjs';

// Which modules plain Node loads for the built package: the server, its frameworks and what only some programs need stay out.

await need('build');

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Names of packages, from the address of every module. */
async function packagesLoadedBy(entry: string): Promise<string[]> {
  const hooks = `
    import { writeSync } from 'node:fs';
    export async function load(url, context, next) {
      if (url.startsWith('file:')) writeSync(1, url + '\\n');
      return next(url, context);
    }`;
  const program = `
    import { createRequire, register } from 'node:module';
    register(${JSON.stringify(dataUrl(hooks))});
    await import(${JSON.stringify(entry)});
    for (const file of Object.keys(createRequire(import.meta.url).cache)) console.log('file://' + file);`;
  const args = ['--input-type=module', '-e', program];
  const { stdout } = await run(process.execPath, args, { cwd: join(root, 'millrace') });
  const files = stdout.split('\n').filter((line) => line !== '');
  return [...new Set(files.map(packageOf))].toSorted();
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

function packageOf(url: string): string {
  const [, outside] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (outside !== undefined) return outside;
  return url.slice(`file://${root}/`.length).replace(/\/dist\/.*/, '');
}

/** pg, and what it stands on. */
const OF_PG = /^(pg|pg-.*|pgpass|postgres-.*|split2|xtend)$/;

/** htmlparser2, and what it stands on. */
const OF_HTMLPARSER2 = /^(htmlparser2|entities|dom(elementtype|handler|utils)|dom-serializer)$/;

it('millrace: the engine, the store and pg', async () => {
  const packages = await packagesLoadedBy('millrace');
  expect(packages.filter((name) => !OF_PG.test(name))).toEqual([
    'croner',
    'engine',
    'millrace',
    'stores/postgres',
    'zod',
  ]);
});

it('millrace/documents: templates and LibreOffice', async () => {
  const packages = await packagesLoadedBy('millrace/documents');
  expect(packages.filter((name) => !OF_HTMLPARSER2.test(name))).toEqual([
    'connectors/office',
    'docx',
    'millrace',
    'qrcode-generator',
    'zip',
  ]);
});
