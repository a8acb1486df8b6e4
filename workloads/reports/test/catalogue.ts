import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import type { Catalogue, CatalogueView } from '../src/catalogue/types.ts';

/** A folder of report files for one test, and what the catalogue makes of it. */
export interface TestFolder {
  readonly catalogue: Catalogue;
  put(file: string, text: string): void;
  remove(file: string): void;
  /** Reads the folder now. */
  load(): Promise<CatalogueView>;
  /** What is wrong, as `file:line:column sentence`. */
  problems(): string[];
}

export function testFolder(files: Readonly<Record<string, string>> = {}): TestFolder {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-reports-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const catalogue = createCatalogue({ folder, lookEveryMs: 20 });
  const put = (file: string, text: string) => writeFileSync(join(folder, file), text);
  for (const [file, text] of Object.entries(files)) put(file, text);
  return {
    catalogue,
    put,
    remove: (file) => rmSync(join(folder, file)),
    async load() {
      await catalogue.load();
      return catalogue.now();
    },
    problems: () =>
      catalogue
        .now()
        .troubled.flatMap(({ problems }) => problems)
        .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`),
  };
}

/** A report that is good as it is, with a parameter `day`; `more` are further lines. */
export function simpleReport(more = ''): string {
  return `title: Simple
parameters:
  day: date
sql: SELECT id, county_id FROM things WHERE day = :day
key: id
rows:
  - { roles: admin, see: all }
  - { column: county_id, claim: county }
${more}`;
}

export const SERVICES_FILE = `
nightly: { roles: admin }
bay: { claims: { county: [1, 38] } }
useless: {}
`;
