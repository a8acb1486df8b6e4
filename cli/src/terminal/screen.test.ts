import { expect, test } from 'vitest';
import { createScreen } from './screen.ts';

function written(columns: number | undefined, text: string): string {
  let said = '';
  const stream = { write: (more: string | Uint8Array) => (said += String(more)), isTTY: true };
  const shown = columns === undefined ? { ...stream, isTTY: false } : { ...stream, columns };
  createScreen(shown, { NO_COLOR: '1' }).say('red', text);
  return said;
}

test('sentences are broken between words in a terminal, and never in a pipe', () => {
  const text = 'There is a file already.\n  1 | SELECT "a long listing"';
  expect(written(12, text)).toBe('There is a\nfile\nalready.\n  1 | SELECT "a long listing"\n');
  expect(written(undefined, text)).toBe(`${text}\n`);
});
