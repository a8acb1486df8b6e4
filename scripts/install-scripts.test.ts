// Packages are installed without their install scripts. A package that comes to have one is looked at before it gets in.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import koffi from 'koffi';
import { describe, expect, test } from 'vitest';
import { MODULES_MEGABYTES, announcement } from './announcement.mjs';

const root = join(import.meta.dirname, '..');

/**
 * What each does without: esbuild, koffi and msgpackr-extract (of BullMQ, in tests) find their programs in packages of their own,
 * core-js only prints.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '.': ['core-js', 'core-js-pure', 'esbuild', 'koffi', 'msgpackr-extract'],
  'lab/bench': ['msgpackr-extract'],
  'salesforce-package': [],
  'lab/simulators/marketing-cloud/duckdb': [],
  'connectors/object-storage/azurite': [],
  'docs/site': ['esbuild'],
  'millrace/test/prisma': [],
};

describe('install scripts', () => {
  test.each(Object.entries(KNOWN))('of the packages in %s are known', (folder, known) => {
    const lock = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const found = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(found.toSorted()).toEqual(known);
  });

  // npm leaves out of a lock file what the registry did not have that day, and `npm ci` then refuses the file.
  test.each(Object.keys(KNOWN))('of %s the lock file is whole, for every system', (folder) => {
    const { packages } = JSON.parse(
      readFileSync(join(root, folder, 'package-lock.json'), 'utf8'),
    ) as { packages: Record<string, { optionalDependencies?: Record<string, string> }> };
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
    const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
      Object.keys(optionalDependencies),
    );
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(Object.keys(KNOWN).filter((folder) => folder !== 'salesforce-package'))(
    'do not run in %s',
    (folder) => {
      expect(readFileSync(join(root, folder, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
    },
  );

  test('are not needed: esbuild compiles and koffi calls', () => {
    expect(transformSync('let x: number = 1', { loader: 'ts' }).code).toBe('let x = 1;\n');
    expect(koffi.load(null).func('int getpid()')()).toBe(process.pid);
  });
});

describe('what npm start is about to install', () => {
  const office = { name: 'libreoffice-writer-nogui', why: 'makes PDFs', megabytes: 200 };

  // 95 MB that only a query on the simulated Marketing Cloud needs: its folder has a lock file of its own.
  test('has no DuckDB, which the first query installs', () => {
    const duckdb = /"node_modules\/@duckdb\//;
    expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(duckdb);
    const own = join(root, 'lab/simulators/marketing-cloud/duckdb/package-lock.json');
    expect(readFileSync(own, 'utf8')).toMatch(duckdb);
  });

  test('is said with size and reason', () => {
    const said = announcement({ modules: true, packages: [office] }) ?? '';
    expect(said).toMatch(
      new RegExp(
        `^ {2}npm packages +${MODULES_MEGABYTES} MB {2}.*install scripts do not run$`,
        'm',
      ),
    );
    expect(said).toMatch(/^ {2}libreoffice-writer-nogui +200 MB {2}makes PDFs$/m);
    expect(said).toContain('MILLRACE_DOCUMENTS=false');
  });

  test('is nothing where nothing is missing', () => {
    expect(announcement({ modules: false, packages: [] })).toBeNull();
  });
});
