import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, bareDatabase } from '../stores/postgres/test/databases.ts';
import { need } from '../scripts/need.mjs';
import { type Major, nodeOf } from '../scripts/nodes.mjs';
import { type Project, makeProject } from './test/project.ts';
import { serveTarballs } from './test/registry.ts';

// What people get and do: a rehearsal of a release, its tarballs installed into an empty project outside of the tree, and
// that project run by each version of Node. One installation for all, 40 s; the other tests of this file take seconds.

await need('build');
await need('console');
await need('site');

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
};
const work = mkdtempSync(join(tmpdir(), 'millrace-install-'));
const release = join(work, 'release');
const cleanups: (() => unknown)[] = [() => rmSync(work, { recursive: true, force: true })];
let project: Project;
let library: Project;
let database: TestDatabase;

beforeAll(async () => {
  const script = join(root, 'scripts/release.mjs');
  await run(process.execPath, [script, '--dry-run', '--to', release], { cwd: root });
  const registry = await serveTarballs(join(release, 'packages'));
  cleanups.push(registry.close);
  project = await makeProject({
    folder: join(work, 'orders'),
    files: join(import.meta.dirname, 'test/orders'),
    registry: registry.url,
    install: [
      join(release, `packages/millrace-${version}.tgz`),
      ...['cli', 'server', 'testkit'].map((name) => `@millrace/${name}@${version}`),
      ...['pg', '@types/pg', '@types/node'].map((name) => `${name}@${installedVersion(name)}`),
    ],
  });
  library = await makeProject({
    folder: join(work, 'library'),
    files: join(import.meta.dirname, 'test/orders'),
    registry: registry.url,
    install: [join(release, `packages/millrace-${version}.tgz`), `pg@${installedVersion('pg')}`],
  });
  cpSync(join(import.meta.dirname, 'test/orders/jobs'), join(work, 'mounted'), { recursive: true });
  database = await bareDatabase();
  cleanups.push(database.drop);
}, 300_000);

afterAll(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
}, 120_000);

describe('the release', () => {
  it('is whole, by its checksums', () => {
    const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
    for (const line of sums) {
      const [hash, path = ''] = line.split('  ');
      const actual = createHash('sha256').update(readFileSync(join(release, path)));
      expect(actual.digest('hex'), path).toBe(hash);
    }
    const files = filesBelow(release).filter((path) => path !== 'SHA256SUMS');
    expect(sums.map((line) => line.split('  ')[1] ?? '').toSorted()).toEqual(files);
  });

  it('has what people deploy with, and what programs read', async () => {
    const json = (name: string) => JSON.parse(readFileSync(join(release, name), 'utf8')) as unknown;
    expect(json('openapi.json')).toMatchObject({ openapi: '3.1.0', info: { version } });
    expect(json('millrace.postman_collection.json')).toMatchObject({ info: { version } });
    expect(readFileSync(join(release, 'CHANGES.md'), 'utf8')).toMatch(/^- /m);
    const context = await listOf('image-context.tar.gz');
    const wanted = ['docs/operations/Dockerfile', 'engine/src/index.ts', 'package-lock.json'];
    expect(context).toEqual(expect.arrayContaining(wanted));
    expect(
      context.filter((path) => /\.test\.ts$|^docs\/(?!operations\/Dockerfile)/.test(path)),
    ).toEqual([]);
    expect(await listOf(`millrace-chart-${version}.tgz`)).toContain('millrace/Chart.yaml');
    expect(await listOf(`salesforce-package-${version}.tgz`)).toContain(
      'salesforce-package/sfdx-project.json',
    );
    expect(existsSync(join(release, 'container-app.bicep'))).toBe(true);
  });
});

describe('what is installed', () => {
  const modules = () => join(project.folder, 'node_modules');
  const ours = () => [
    'millrace',
    ...readdirSync(join(modules(), '@millrace')).map((name) => `@millrace/${name}`),
  ];

  it('has no sources, no tests, no maps and no path of this machine', () => {
    const all = ours().flatMap((name) =>
      filesBelow(join(modules(), name)).map((path) => `${name}/${path}`),
    );
    const strange =
      /\/src\/|\.test\.|\.map$|tsbuildinfo|\.tsx?$(?<!\.d\.ts)|\/test\/|\/node_modules\/|Test\.cls/;
    expect(all.filter((path) => strange.test(path))).toEqual([]);
    const texts = all.filter((path) => /\.(js|mjs|ts|json|md|html|css|sql)$/.test(path));
    const telling = texts.filter((path) => {
      const text = readFileSync(join(modules(), path), 'utf8');
      return (
        text.includes(root) ||
        text.includes('sourceMappingURL=') ||
        text.includes('millrace-source')
      );
    });
    expect(telling).toEqual([]);
  });

  it('leads from every export to a file, with types', () => {
    for (const name of ours()) {
      const { exports: offered = {} } = JSON.parse(
        readFileSync(join(modules(), name, 'package.json'), 'utf8'),
      ) as { exports?: Record<string, string | Record<string, string>> };
      const targets = Object.values(offered).flatMap((each) =>
        typeof each === 'string' ? [each] : Object.values(each),
      );
      const missing = targets.filter((target) => !existsSync(join(modules(), name, target)));
      expect(missing, name).toEqual([]);
    }
  });

  it('has each of ours once, the licence in each, and what the bundle is made of', () => {
    const engines = filesBelow(modules()).filter((path) =>
      path.endsWith('@millrace/engine/package.json'),
    );
    expect(engines).toEqual(['@millrace/engine/package.json']);
    for (const name of ours())
      expect(existsSync(join(modules(), name, 'LICENSE')), name).toBe(true);
    const notices = join(modules(), '@millrace/console/THIRD-PARTY-NOTICES.txt');
    expect(readFileSync(notices, 'utf8')).toMatch(/^react \d.*\(MIT\)$/m);
  });

  it('is all in the SBOM of the release', () => {
    const sbom = JSON.parse(readFileSync(join(release, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string }[];
    };
    expect([sbom.bomFormat, sbom.metadata.component.name]).toEqual(['CycloneDX', 'millrace']);
    const listed = new Set(sbom.components.map(({ name }) => name));
    const lock = JSON.parse(readFileSync(join(modules(), '.package-lock.json'), 'utf8')) as {
      packages: Record<string, object>;
    };
    const installed = Object.keys(lock.packages).map(
      (path) => path.split('node_modules/').at(-1) ?? '',
    );
    const own = /^(millrace|@types\/.*|@millrace\/(testkit|store-memory)|undici-types)$/;
    expect(installed.filter((name) => !own.test(name) && !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => /vitest|oxlint|playwright/.test(name))).toEqual([]);
  });

  it('has the types of the library: a strict project compiles', { timeout: 60_000 }, async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = [compiler, '-p', project.folder];
    const said = await project
      .run(process.execPath, process.execPath, args)
      .catch((error: { stdout: string }) => error.stdout);
    // Those of PGlite name types of Emscripten that it does not bring: with skipLibCheck, as most have it, nobody sees that.
    const faults = said
      .split('\n')
      .filter((line) => !/^(node_modules\/@electric-sql\/|$)/.test(line));
    expect(faults).toEqual([]);
    expect(existsSync(join(project.folder, 'built/src/embed.js'))).toBe(true);
  });

  it('is as small as its README says', () => {
    const tarballs = readdirSync(join(release, 'packages')).map(
      (name) => statSync(join(release, 'packages', name)).size,
    );
    const bytes = filesBelow(modules()).map((path) => statSync(join(modules(), path)).size);
    const own = ours().flatMap((name) =>
      filesBelow(join(modules(), name)).map((path) => statSync(join(modules(), name, path)).size),
    );
    console.log(
      `${tarballs.length} tarballs of ${megabytes(tarballs)}; installed ${megabytes(own)} of ours in ${megabytes(bytes)}`,
    );
  });
});

describe('the library alone', () => {
  const node = process.execPath;
  const runModule = (program: string, env = {}) =>
    library.run(node, 'node', ['--input-type=module', '-e', program], env);

  it('is small: no server, no console, no simulators, no embedded database', () => {
    const modules = join(library.folder, 'node_modules');
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      packages: Record<string, object>;
    };
    const names = Object.keys(lock.packages).map((path) => path.replace('node_modules/', ''));
    const ours = names.filter((name) => name === 'millrace' || name.startsWith('@millrace/'));
    expect(ours.toSorted()).toEqual([
      '@millrace/docx',
      '@millrace/engine',
      '@millrace/office',
      '@millrace/store-postgres',
      '@millrace/zip',
      'millrace',
    ]);
    const bytes = filesBelow(modules).map((path) => statSync(join(modules, path)).size);
    console.log(`the library: ${names.length} packages, ${megabytes(bytes)}`);
    expect(names.length).toBeLessThan(60);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000_000);
  });

  it('runs a job on Postgres, and checks a template', { timeout: 60_000 }, async () => {
    const program = `
      import { createMillrace, defineJob, done } from 'millrace';
      import { lint } from 'millrace/documents';
      import { z } from 'zod';
      const greet = defineJob({ kind: 'greet', input: z.string(), run: async ({ data }) => done('Hello ' + data) });
      const millrace = await createMillrace({ database: process.env.DATABASE_URL, jobs: [greet], log: false });
      await millrace.start();
      const { id } = await millrace.enqueue(greet, 'Ada');
      console.log((await millrace.finished(id)).result, typeof lint);
      await millrace.stop();`;
    const said = await runModule(program, { DATABASE_URL: database.url });
    expect(said.trim()).toBe('Hello Ada function');
  });

  it('says how to get what it leaves out', async () => {
    const program = `
      import { createMillrace } from 'millrace';
      await createMillrace({ database: { folder: 'db' }, jobs: [] }).catch(({ message }) => console.log(message));`;
    expect(await runModule(program)).toMatch(
      /a package of its own: npm install @electric-sql\/pglite@\d/,
    );
    const locked = `
      import { compile, openOffice } from 'millrace/documents';
      import { readFile } from 'node:fs/promises';
      const office = await openOffice({ slots: 1 });
      const docx = compile(await readFile(process.env.TEMPLATE)).merge({});
      await office.convert(docx, { pdf: { password: 'p' } }).catch(({ code, message }) => console.log(code, message));
      await office.close();`;
    const TEMPLATE = join(root, 'examples/invoice/template.docx');
    expect(await runModule(locked, { TEMPLATE })).toMatch(
      /^encryption_missing .*: npm install @cantoo\/pdf-lib@\d/m,
    );
    await expect(library.run(node, 'npx', ['millrace', 'jobs'])).rejects.toMatchObject({
      code: 70,
      stderr: expect.stringMatching(/^The command line .* npm install @millrace\/cli,.*\n$/m),
    });
  });
});

/** Each once: jobs in a mounted folder, which has no node_modules; the simulated org, which has the Salesforce package in it. */
const SETTINGS: Record<Major, Readonly<Record<string, string>>> = {
  20: {},
  22: { MILLRACE_JOBS: join(work, 'mounted') },
  24: { SALESFORCE_SANDBOX: 'true' },
};

describe.each([20, 22, 24] satisfies Major[])('with Node %i', (major) => {
  let node: string;
  beforeAll(async () => {
    node = await nodeOf(major);
  }, 120_000);

  it('npx millrace start runs the jobs of the project', { timeout: 120_000 }, async () => {
    expect(await project.run(node, 'node', ['--version'])).toMatch(new RegExp(`^v${major}\\.`));
    const server = await project.start(node, SETTINGS[major]);
    try {
      expect(server.kinds).toEqual(expect.arrayContaining(['greet', 'same-engine']));
      const millrace = (...args: string[]) => project.run(node, 'npx', ['millrace', ...args]);
      expect(await millrace('enqueue', 'greet', '{"name":"Ada"}', '--watch')).toContain(
        'Good morning, Ada.',
      );
      if (major === 24) {
        expect(await millrace('enqueue', 'same-engine', '{}', '--watch')).toContain('one engine');
        expect(await millrace('jobs', '--kind', 'document.salesforce')).toContain(
          'document.salesforce',
        );
      }
      await looksLikeAPage(`${server.address}/console/`);
      await looksLikeAPage(`${server.address}/docs/`);
    } finally {
      await server.stop(major === 22 ? 'signal' : 'Ctrl-C');
    }
  });

  it(
    'a job is tried with the testkit, a template with the library',
    { timeout: 60_000 },
    async () => {
      const said = await project.run(node, 'node', ['built/src/try-job.js']);
      expect(said.trim()).toBe('succeeded Good morning, Ada.\ntrue');
    },
  );

  it('the library is embedded', { timeout: 60_000 }, async () => {
    const env = { DATABASE_URL: database.url };
    const said = await project.run(node, 'node', ['built/src/embed.js'], env);
    expect(said.trim()).toBe('SUCCEEDED Good morning, Ada.');
  });

  it('loads fast', async () => {
    const program = `const before = performance.now(); await import('millrace'); console.log(performance.now() - before)`;
    const took = Number(await project.run(node, 'node', ['--input-type=module', '-e', program]));
    console.log(`Node ${major}: import 'millrace' takes ${Math.round(took)} ms`);
    expect(took).toBeGreaterThan(0);
  });
});

async function looksLikeAPage(address: string): Promise<void> {
  const page = await fetch(address);
  const html = await page.text();
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
  const [, script = ''] = /<script[^>]* src="([^"]+\.js)"/.exec(html) ?? [];
  expect((await fetch(new URL(script, address))).status).toBe(200);
}

async function listOf(name: string): Promise<string[]> {
  const { stdout } = await run('tar', ['-tzf', join(release, name)], { maxBuffer: 50_000_000 });
  return stdout.split('\n');
}

/** Paths of files from the folder, in their order. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .toSorted();
}

function installedVersion(name: string): string {
  const file = join(root, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function megabytes(sizes: readonly number[]): string {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
