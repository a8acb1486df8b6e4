import { describe, expect, it } from 'vitest';
import { docx, p, relationship } from '../test/builder.ts';
import { emuOf, readPicture } from './helpers/picture.ts';
import { toNumber } from './helpers/format.ts';
import { readMoment, readNumber, readPercent } from './helpers/read-text.ts';
import { compile, lint } from './index.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { lostText } from './trial/trial.ts';

const LONG = 300_000;
const DIGITS = '1'.repeat(LONG);
const SPACES = ' '.repeat(LONG);

// Each of these took from 10 s to minutes while a text could be divided between two repetitions.
describe('data of any length takes time by its size only', () => {
  it.each([
    ['digits', () => toNumber(`${DIGITS}x`)],
    ['digits of a spreadsheet', () => readNumber(`${DIGITS}x`, 'de-DE')],
    ['spaces before what is no percent sign', () => readPercent(`1${SPACES}x`, 'de-DE')],
    ['spaces after a date', () => readMoment(`30.11.2026${SPACES}x`, 'bg-BG')],
    ['spaces after a length', () => emuOf(`1${SPACES}x`)],
  ])('%s', (_what, read) => {
    expect(read()).toBeUndefined();
  });

  it('spaces in the style of an SVG', () => {
    const svg = (style: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>${style}</style></svg>`;
    const cleaned = (style: string) =>
      readPicture(Buffer.from(svg(style)), DEFAULT_LIMITS).bytes.toString();
    expect(cleaned(`a{fill:url(${SPACES}x)}`)).not.toContain('url');
    expect(cleaned(`a{fill:url(${SPACES}#x)}`)).toContain('#x');
    expect(cleaned(`a{fill:url( "#x")}`)).toContain('#x');
    expect(cleaned(`a{fill:url( " http://x")}`)).not.toContain('url');
  });

  it('braces in the address of a link', () => {
    const link = '<w:p><w:hyperlink r:id="rIdX"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>';
    const relationships = relationship('rIdX', 'hyperlink', '{{'.repeat(LONG), true);
    expect(lint(docx(link, { relationships })).ok).toBe(false);
  });

  it('spaces and braces in a template that is tried out', () => {
    expect(lostText(p(`{{${SPACES}!note}}kept`), p('kept'))).toEqual([]);
    expect(lostText(p('\\{{'.repeat(LONG)), p('{{'))).toEqual([]);
  });
});

it('a number that is too large to be one is an error, not ∞', () => {
  expect(() => compile(docx(p('{{number A}}'))).merge({ A: DIGITS })).toThrow(
    expect.objectContaining({ code: 'bad_value' }) as Error,
  );
});
