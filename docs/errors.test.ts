import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERRORS, JOB_ERRORS } from '@millrace/api';
import { failures } from '@millrace/workloads/contracts';
import { describe, expect, it } from 'vitest';

// errors.md is made of the two tables, and the second of them of the sources.

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'docs/errors.md');

it('docs/errors.md is the tables of the api and the workloads', () => {
  const page = readFileSync(file, 'utf8');
  const wanted = filled(filled(page, 'requests', requestTable()), 'jobs', jobTable());
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, wanted);
  else
    expect(page, 'UPDATE_DOCS=1 npx vitest run docs/errors.test.ts writes it again').toBe(wanted);
});

describe('the codes of failed jobs', () => {
  const used = new Set(codesInSources());

  it('are all in JOB_ERRORS of api/src/job-errors.ts', () => {
    expect([...used].filter((code) => !Object.hasOwn(JOB_ERRORS, code))).toEqual([]);
  });

  it('are all still used', () => {
    expect(Object.keys(JOB_ERRORS).filter((code) => !used.has(code))).toEqual([]);
  });
});

function requestTable(): string[] {
  return [
    '| code | status | retry | what it means | what to do |',
    '|---|---|---|---|---|',
    ...Object.entries(ERRORS).map(([code, { status, retryable, title, help }]) =>
      row([`\`${code}\``, String(status), yesNo(retryable), `${title}.`, help]),
    ),
  ];
}

function jobTable(): string[] {
  return [
    '| code | tried again | what it means, and what to do |',
    '|---|---|---|',
    ...Object.entries(JOB_ERRORS).map(([code, { retryable, help }]) =>
      row([`\`${code}\``, yesNo(retryable), help]),
    ),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** The page with this table between its two marks. */
function filled(page: string, name: string, lines: readonly string[]): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`docs/errors.md lacks ${begin}…${end}`);
  return `${page.slice(0, from)}\n${lines.join('\n')}\n\n${page.slice(to)}`;
}

/** Where failures of jobs are made: thrown with a code, recorded by the engine, or written by a store. */
function codesInSources(): string[] {
  const made = [
    /\bnew JobFailure\(\s*'(\w+)'/g,
    /\bfinal\(\s*'(\w+)'/g,
    /\brecord\('(\w+)'/g,
    /\bcode: '(\w+)'/g,
  ];
  const found = [
    'engine',
    'stores/memory',
    'stores/postgres',
    'stores/salesforce',
    'server/src/webhook',
  ]
    .flatMap((folder) => sources(join(root, folder)))
    .flatMap((text) => made.flatMap((pattern) => [...text.matchAll(pattern)]))
    .flatMap(([, code]) => code ?? []);
  return [...found, ...Object.keys(failures)];
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'))
    .filter((name) => !/(^|\/)(test|dist|node_modules)\//.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
