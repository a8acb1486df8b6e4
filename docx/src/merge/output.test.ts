import { describe, expect, it } from 'vitest';
import { createOutput } from './output.ts';

const LIMIT = 100_000_000;
/** Longer than what the loop takes: the way through `escapeText`. */
const LONG = 'x'.repeat(1_000);

function written(text: string): string {
  const out = createOutput(LIMIT);
  out.value(text);
  return out.view(0, out.position()).toString('utf8');
}

describe('a value', () => {
  it('is the same bytes whether it is short or long, for every UTF-16 unit', () => {
    const different: string[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const text = `a${String.fromCharCode(unit)}z`;
      if (LONG + written(text) !== written(LONG + text)) different.push(unit.toString(16));
    }
    expect(different).toEqual([]);
  });

  it('is encoded and escaped', () => {
    expect(written('5 < 6 & "é" > € 😀')).toBe('5 &lt; 6 &amp; "é" &gt; € 😀');
  });

  it('fits where the buffer ends, however wide it gets', () => {
    const out = createOutput(LIMIT);
    // 505 bytes: one of them starts before the end of each of the buffer's first sizes, with room for 101 only.
    for (let n = 0; n < 10_000; n++) out.value('&'.repeat(101));
    const whole = out.view(0, out.position()).toString();
    expect(whole === '&amp;'.repeat(1_010_000)).toBe(true);
  });

  it.each(['short', LONG])('may fill the output to the last byte and no further', (text) => {
    const whole = createOutput(text.length);
    whole.value(text);
    expect(whole.position()).toBe(text.length);
    expect(() => createOutput(text.length - 1).value(text)).toThrow(
      expect.objectContaining({ code: 'output_too_large' }) as Error,
    );
  });
});
