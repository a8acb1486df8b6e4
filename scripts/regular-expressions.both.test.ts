// A regular expression that can match one text in many ways takes time that grows with the square of the text, or beyond all
// measure: one line of 1 MB held the server for ten minutes. So each one in what reads foreign text is checked, and those that
// can take so long are listed with what limits their text.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { parseAst } from 'vite';
import { expect, test, vi } from 'vitest';
import { isLong } from './need.mjs';

const root = join(import.meta.dirname, '..');

/**
 * What reads the files and the SQL that people send; some patterns take half a minute to check, which is for the long tests. The other packages
 * are not checked yet.
 */
const FOLDERS = isLong
  ? ['connectors/office/src/program']
  : ['connectors/sql-source', 'tables', 'workloads/documents'];

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

function patternsIn(file: string): Pattern[] {
  const found: Pattern[] = [];
  const text = readFileSync(join(root, file), 'utf8');
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if ('regex' in node) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string };
      found.push({ file, source: pattern, flags });
    } else Object.values(node).forEach(walk);
  };
  walk(parseAst(text, { lang: 'ts' }, file));
  return found;
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter(
      (file) =>
        /\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/test\/|\/(?:node_modules|dist)\//.test(file),
    ),
);
const patterns = files.flatMap(patternsIn);

/** Without a repetition there is one way to match only; most have none. */
function repeats({ source }: Pattern): boolean {
  return /[*+]|\{\d+,\d*\}/.test(source);
}

/** Patterns that may take long, or that the check cannot decide about, by file and with what limits the text that they see. */
const LIMITED: Readonly<Record<string, readonly [limit: string, ...patterns: string[]]>> = {
  'connectors/office/src/program/indexes.ts': [
    '500 characters after the word',
    '(?:instrText[^<>]{0,500}>|w:instr=")\\s*(?:TOC|INDEX|TOA|BIBLIOGRAPHY)\\b',
  ],
  'connectors/office/src/program/look.ts': [
    '500 characters after the word',
    '(?:instrText[^<>]{0,500}>|w:instr=")\\s*FILENAME\\b',
  ],
  'tables/src/xlsx/parts.ts': ['200 characters', "^[' ]+|[' ]+$", "[' ]+$"],
  'workloads/documents/src/batch/rows/xlsx/format.ts': ['1,000 characters', '\\[[^\\]]*\\]'],
  'workloads/documents/src/batch/rows/xlsx/sheet.ts': [
    'one tag at a time, in a thread with a limit of time',
    '<(?:\\w+:)?mergeCell\\s[^<>]*ref="([A-Z]{1,3})(\\d{1,7}):([A-Z]{1,3})(\\d{1,7})"',
  ],
  'workloads/documents/src/one/names.ts': ['2,000 characters', '^[\\s.]+|[\\s.]+$'],
};

test('the sources are found', () => {
  expect(patterns.length).toBeGreaterThan(isLong ? 5 : 60);
});

test('no regular expression takes more than linear time on a text without a limit', () => {
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
  const isLimited = ({ file, source }: Pattern) => LIMITED[file]?.slice(1).includes(source);
  const found = patterns
    .filter((pattern) => repeats(pattern) && isLimited(pattern) !== true)
    .flatMap(({ file, source, flags }) => {
      const checked = checkSync(source, flags, { timeout: 100_000 });
      if (checked.status === 'safe') return [];
      const what = checked.status === 'vulnerable' ? checked.complexity.summary : 'not decided';
      return [`${file}: /${source}/${flags}: ${what}`];
    });
  expect(found).toEqual([]);
}, 600_000);

test('what is listed is there', () => {
  const there = new Set(patterns.map(({ file, source }) => `${file}: ${source}`));
  const listed = Object.entries(LIMITED)
    .filter(([file]) => FOLDERS.some((folder) => file.startsWith(`${folder}/`)))
    .flatMap(([file, [, ...sources]]) => sources.map((source) => `${file}: ${source}`));
  expect(listed.filter((each) => !there.has(each))).toEqual([]);
});

test.each([
  ['the first line of a CSV', '[^\\s,;|].*\\n'],
  ['the gap between two texts in SQL', '(?:[ \\t]|--[^\\n\\r]*)*[\\n\\r]'],
])('the check finds what was wrong with %s', (_, source) => {
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
  expect(checkSync(source, '', { timeout: 100_000 }).status).toBe('vulnerable');
});
