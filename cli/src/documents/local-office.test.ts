import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('what makes documents is loaded by one file, and only when it is needed', () => {
  const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const lines = sources.flatMap((name) =>
    readFileSync(join(import.meta.dirname, name), 'utf8')
      .split('\n')
      .filter((line) => /@millrace\/(docx|office)/.test(line))
      .map((line) => ({ name, line })),
  );
  expect(lines.map(({ name }) => name)).toEqual(lines.map(() => 'local-office.ts'));
  const atStart = lines.filter(({ line }) => !/^import type |await import\(/.test(line));
  expect(atStart).toEqual([]);
  expect(lines.length).toBeGreaterThan(3);
});
