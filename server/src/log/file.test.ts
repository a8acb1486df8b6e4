import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogFile, quietScreen } from './file.ts';
import { createLog } from './log.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'millrace-log-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('goes on where it was, for its owner alone', () => {
  const path = join(folder(), 'deep', 'millrace.log');
  openLogFile(path)?.('one\n');
  openLogFile(path)?.('two\n');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('is rotated when it is large, and keeps the one before', () => {
  const path = join(folder(), 'millrace.log');
  const write = openLogFile(path, 10);
  for (const line of ['first line\n', 'second line\n', 'third\n']) write?.(line);
  expect(readFileSync(path, 'utf8')).toBe('third\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('second line\n');
});

test('is none where nothing can be written', () => {
  const inTheWay = join(folder(), 'file');
  writeFileSync(inTheWay, '');
  expect(openLogFile(join(inTheWay, 'millrace.log'))).toBeNull();
});

test('a screen shows errors, and the file has everything, without colours', () => {
  const [lines, shown]: [string[], string[]] = [[], []];
  const write = quietScreen(
    (line) => lines.push(line),
    (line) => shown.push(line),
  );
  const log = createLog({ level: 'info', readable: true, secrets: [], write });
  log.info({ error: 'none' }, 'job succeeded');
  log.warn({}, 'job failed, will be retried');
  log.error({}, 'the store failed');
  expect(lines.map((line) => line.slice(9))).toEqual([
    'info  job succeeded error=none\n',
    'warn  job failed, will be retried\n',
    'error the store failed\n',
  ]);
  expect(shown).toHaveLength(1);
  expect(shown[0]).toContain('the store failed');
});
