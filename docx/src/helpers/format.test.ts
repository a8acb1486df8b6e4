import { describe, expect, it } from 'vitest';
import { docx, p } from '../../test/builder.ts';

import { merged } from '../../test/merge.ts';

import { type MergeOptions, lint } from '../index.ts';

const line = (tag: string, data: unknown, options?: MergeOptions) =>
  merged(p(tag), data, options)[0];
const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;
/** Intl puts narrow and hard spaces where a reader sees a space. */
const plain = (text: string | undefined) => text?.replace(/[\u00a0\u202f]/g, ' ');

describe('numbers', () => {
  it.each([
    ['{{number A}}', 'en-US', '1,234,567.891'],
    ['{{number A}}', 'de-DE', '1.234.567,891'],
    ['{{number A}}', 'de_DE', '1.234.567,891'],
    ['{{number A 2}}', 'fr-FR', '1 234 567,89'],
    ['{{number A decimals=0}}', 'en-IN', '12,34,568'],
    ['{{number Text decimals=1}}', 'en-US', '5.0'],
    ['{{number A locale="de-DE" decimals=1}}', 'en-US', '1.234.567,9'],
    ['{{percent Rate}}', 'en-US', '19%'],
    ['{{percent 0.055}}', 'en-US', '5.5%'],
    ['{{percent 0.055}}', 'de-DE', '5,5 %'],
    ['{{percent Third}}', 'en-US', '33.33%'],
    ['{{percent Third decimals=0}}', 'en-US', '33%'],
    ['{{percent Rate 1}}', 'de-DE', '19,0 %'],
    ['{{currency A "EUR"}}', 'de-DE', '1.234.567,89 €'],
    ['{{currency A "USD"}}', 'en-US', '$1,234,567.89'],
    ['{{currency A "JPY"}}', 'ja-JP', '￥1,234,568'],
    ['{{currency A code=EUR display=code}}', 'en-US', 'EUR 1,234,567.89'],
    ['{{currency A Money}}', 'en-US', 'CHF 1,234,567.89'],
    ['{{currency A}}', 'en-US', '1,234,567.89'],
  ])('%s in %s is %s', (tag, locale, text) => {
    const data = { A: 1234567.891, Rate: 0.19, Third: 1 / 3, Text: '5', Money: 'CHF' };
    expect(plain(line(tag, data, { locale }))).toBe(text);
  });

  it('takes the currency of the record', () => {
    expect(
      line('{{#each L}}{{currency A}};{{/each}}', {
        L: [
          { A: 1, CurrencyIsoCode: 'USD' },
          { A: 2, CurrencyIsoCode: 'GBP' },
        ],
      }),
    ).toBe('$1.00;£2.00;');
  });

  it('prefers what the sender formatted, and falls back to the value', () => {
    expect(
      line(
        '{{A__formatted}} {{B__formatted}}',
        { A: 1, A__formatted: 'one €', B: 1234.5 },
        { locale: 'de-DE' },
      ),
    ).toBe('one € 1.234,5');
  });

  it.each([
    ['{{number A}}', 'n/a', 'A: "n/a" cannot be read as a number; write it like'],
    ['{{currency A "EUR"}}', '2,5', 'A: "2,5" cannot be read as a number; write it like'],
    ['{{percent A}}', true, 'A: "true" cannot be read as a number; write it like'],
    ['{{number A}}', { B: 1 }, 'A: the value cannot be read as a number; write it like'],
    ['{{number A}}', [1, 2], 'A: "1, 2" cannot be read as a number; write it like'],
    ['{{number (default A "x")}}', '', '"x" cannot be read as a number for'],
    ['{{number A decimals=many}}', 1, 'decimals=many is no number'],
    ['{{currency A "EURO"}}', 1, '"EURO" is no currency code; write its three letters, like EUR'],
    ['{{currency 5 A}}', 'Euro', 'A: "Euro" is no currency code'],
    ['{{currency 5 A}}', '€', 'A: "€" is no currency code'],
    ['{{number A 200}}', 1, 'The number cannot be written so'],
  ])('%s of %j is an error, never printed as it came', (tag, A, sentence) => {
    const act = () => line(tag, { A });
    expect(act).toThrow(code('bad_value'));
    expect(act).toThrow(sentence);
  });

  it('leaves what is empty empty', () => {
    const data = { A: null, B: '', C: ' ' };
    expect(line('[{{number A}}{{currency B}}{{percent C}}{{date C}}{{number D}}]', data)).toBe(
      '[]',
    );
  });

  it('refuses an unknown locale or time zone', () => {
    // The last three are well-formed: Intl would take the machine's own locale instead.
    for (const locale of ['not a locale', 'german', 'deutsch', 'xx-YY']) {
      expect(() => line('{{A}}', {}, { locale })).toThrow(code('bad_locale'));
      expect(() => line('{{A}}', {}, { dataLocale: locale })).toThrow(code('bad_locale'));
      expect(() => line(`{{number A locale="${locale}"}}`, { A: 1 })).toThrow(code('bad_locale'));
    }
    expect(() => line('{{A}}', {}, { timeZone: 'Mars/Olympus' })).toThrow(code('bad_locale'));
    expect(() => line('{{number A locale="!"}}', { A: 1 })).toThrow(code('bad_locale'));
  });
});

describe('dates', () => {
  it.each([
    ['{{date D}}', 'en-US', 'UTC', 'Jan 31, 2025'],
    ['{{date D "long"}}', 'de-DE', 'UTC', '31. Januar 2025'],
    ['{{date D "full"}}', 'de-DE', 'Pacific/Auckland', 'Freitag, 31. Januar 2025'],
    ['{{date T "short" time="short"}}', 'de-DE', 'Europe/Berlin', '01.02.25, 00:30'],
    ['{{date T "dd.MM.yyyy HH:mm"}}', 'de-DE', 'Europe/Berlin', '01.02.2025 00:30'],
    ['{{date T "dd.MM.yyyy HH:mm" timeZone="UTC"}}', 'de-DE', 'Europe/Berlin', '31.01.2025 23:30'],
    ['{{date S "yyyy-MM-dd"}}', 'en-US', 'America/New_York', '2025-01-31'],
    ['{{date D "EEEE, d. MMMM \'\'yy"}}', 'de-DE', 'UTC', 'Freitag, 31. Januar 25'],
    ["{{date T \"h:mm a 'o''clock'\"}}", 'en-US', 'UTC', '11:30 PM oclock'],
    ['{{date W "HH:mm"}}', 'en-US', 'Asia/Tokyo', '09:15'],
    ['{{date M "yyyy"}}', 'en-US', 'UTC', '1970'],
    ['{{date D "MMM"}}', 'fr-FR', 'UTC', 'janv.'],
  ])('%s in %s, %s is %s', (tag, locale, timeZone, text) => {
    const data = {
      D: '2025-01-31',
      T: '2025-01-31T23:30:00Z',
      S: '2025-01-31T23:30:00.000+0000',
      W: '2025-01-31T09:15:00',
      M: 0,
    };
    expect(plain(line(tag, data, { locale, timeZone }))).toBe(text);
  });

  it.each([
    ['{{date A}}', '2025-02-30', 'A: "2025-02-30" cannot be read as a date; write it like'],
    ['{{date A}}', '0026-11-16', 'A: "0026-11-16" cannot be read as a date'],
    ['{{date A}}', '0000-01-01', 'A: "0000-01-01" cannot be read as a date'],
    ['{{date A}}', 'soon', 'A: "soon" cannot be read as a date; write it like'],
    ['{{date A}}', {}, 'A: the value cannot be read as a date; write it like'],
    ['{{date A time="HH:mm"}}', '2025-02-03', 'time="HH:mm" is none of short, medium, long, full'],
  ])('%s of %j is an error, never printed as it came', (tag, A, sentence) => {
    const act = () => line(tag, { A });
    expect(act).toThrow(code('bad_value'));
    expect(act).toThrow(sentence);
  });
});

describe('a pattern of dates', () => {
  const mistakes: [pattern: string, why: string, instead: string][] = [
    ['DD.MM.YYYY', '"DD" means nothing', 'Write "dd.MM.yyyy".'],
    ['Short', '"S" means nothing', 'Write "short".'],
    ['dd.mm.yyyy', '"mm" is minutes', 'Write "dd.MM.yyyy".'],
    ['d.m.yy HH:mm', '"m" is minutes', 'Write "d.M.yy HH:mm".'],
    ['yyyy-mm-dd', '"mm" is minutes', 'Write "yyyy-MM-dd".'],
    ['HH:MM', '"MM" is the month', 'Write "HH:mm".'],
    ['dd.MM.yyyy HH:MM:ss', '"MM" is the month', 'Write "dd.MM.yyyy HH:mm:ss".'],
    ['h:MM a', '"MM" is the month', 'Write "h:mm a".'],
    ['dddd', '"dddd" means nothing', 'Write "EEEE".'],
    ['dddd, d. MMMM yyyy', '"dddd" means nothing', 'Write "EEEE, d. MMMM yyyy".'],
    ['MMMMM', '"MMMMM" means nothing', 'Write "MMMM".'],
    ['d. mmmm', '"mmmm" means nothing', 'Write "d. MMMM".'],
    ['TT.MM.JJJJ', '"TT" means nothing', 'Write "dd.MM.yyyy".'],
    ['%d.%m.%Y %H:%M', 'its letters stand without "%"', 'Write "dd.MM.yyyy HH:mm".'],
    ['d of MMMM', '"o" means nothing', 'words go between single quotes.'],
    ['-', 'it has no letters', 'Write it like "dd.MM.yyyy HH:mm"'],
    ['', 'it has no letters', 'Write it like "dd.MM.yyyy HH:mm"'],
  ];
  it.each(mistakes)('%j is an error of the template: %s. %s', (pattern, why, instead) => {
    for (const tag of [`{{date A "${pattern}"}}`, `{{date A style="${pattern}"}}`]) {
      const [problem, ...more] = lint(docx(p(tag))).problems;
      expect(more).toEqual([]);
      expect(problem).toMatchObject({ severity: 'error', code: 'bad_tag', paragraph: 1 });
      expect(problem?.message).toContain(`${why}. `);
      expect(problem?.message).toContain(instead);
    }
  });

  it.each(mistakes)('%j from the data fails the document: %s. %s', (pattern, why, instead) => {
    const act = () => line('{{date A P}}', { A: '2025-02-03', P: pattern });
    expect(act).toThrow(code('bad_value'));
    expect(act).toThrow(`${why}. `);
    expect(act).toThrow(instead);
  });

  it.each([
    ['mm', '05'],
    ['mm:ss', '05:07'],
    ["HH'h'mm", '14h05'],
    ['HH, MM/dd', '14, 11/16'],
    ['yyyyMMddHHmmss', '20261116140507'],
    ["d. 'mm' MMMM", '16. mm November'],
    ['MM', '11'],
  ])('%j is one', (pattern, text) => {
    expect(line(`{{date A "${pattern}"}}`, { A: '2026-11-16T14:05:07Z' })).toBe(text);
  });
});

describe('lists as one value', () => {
  const L = [
    { N: 'a', V: 0.1 },
    { N: 'b', V: '0.2' },
    { N: '', V: null },
  ];
  it.each([
    ['{{sum L "V"}}', '0.3'],
    ['{{sum Numbers}}', '6'],
    ['{{currency (sum L "V") "EUR"}}', '€0.30'],
    ['{{count L}}', '3'],
    ['{{count Missing}}', '0'],
    ['{{join Numbers "; "}}', '1; 2; 3'],
    ['{{join L "N"}}', 'a, b'],
    ['{{join L "N" " and "}}', 'a and b'],
    ['{{upper (join L "N")}}', 'A, B'],
    ['{{lower Big}}', 'straße'],
  ])('%s is %s', (tag, text) => {
    expect(line(tag, { L, Numbers: [1, 2, 3], Big: 'STRAßE' })).toBe(text);
  });
});

describe('a figure of a list', () => {
  it.each([
    [
      '{{sum L}}',
      ['1', '2,5'],
      'bad_value',
      'L.1: "2,5" cannot be read as a number; write it like',
    ],
    [
      '{{sum L "V"}}',
      [{ V: 1 }, { V: 'two' }],
      'bad_value',
      'L.1.V: "two" cannot be read as a number; write it like',
    ],
    ['{{sum L "A.Net Sum"}}', [{ A: { 'Net Sum': true } }], 'bad_value', 'L.0.A.[Net Sum]'],
    [
      '{{sum L}}',
      [{ V: 1 }],
      'bad_value',
      'L.0: the value cannot be read as a number; write it like',
    ],
    ['{{sum L}}', 5, 'not_a_list', '"L" is no list but "5"'],
    ['{{count L}}', 'a, b', 'not_a_list', '"L" is no list but "a, b"'],
    ['{{join L}}', 'a', 'not_a_list', '"L" is no list but "a"'],
    ['{{join L}}', [{ N: 'a' }], 'bad_value', 'Name one: {{join L "Name"}}'],
    ['{{join L "N" ", "}}', [{ N: { X: 1 } }], 'bad_value', 'L.0.N is no text'],
    ['{{#if gt L 5}}x{{/if}}', 'a lot', 'bad_value', '"a lot" cannot be read as a number'],
  ])('%s of %j is an error: the figure would be wrong', (tag, L, expected, sentence) => {
    const act = () => line(tag, { L });
    expect(act).toThrow(code(expected));
    expect(act).toThrow(sentence);
    expect(act).toThrow(expect.objectContaining({ paragraph: 1, snippet: tag }) as Error);
  });

  it('takes what is empty for nothing, and in strict mode wants the field', () => {
    const L = [{ V: 1 }, { V: null }, { V: ' ' }, {}];
    expect(line('{{sum L "V"}}', { L })).toBe('1');
    expect(() => line('{{sum L "V"}}', { L }, { strict: true })).toThrow(
      'The data has no "L.3.V".',
    );
    expect(line('{{#if lt A 5}}less{{else}}no{{/if}}', { A: '' })).toBe('no');
    expect(line('{{join M "N"}}', { M: [null, { N: 'a' }, { N: 'b' }] })).toBe('a, b');
  });

  it('reads the text of a spreadsheet as its locale writes it', () => {
    const options = { dataLocale: 'de-DE' };
    expect(line('{{sum L}}', { L: ['1.000', '2,5'] }, options)).toBe('1002.5');
    expect(() => line('{{sum L}}', { L: ['2.5'] }, options)).toThrow(
      'L.0: "2.5" cannot be read as a number; de-DE writes',
    );
  });
});

it('nothing has no sign', () => {
  for (const A of [-0, '-0', -0.001]) {
    expect(line('{{currency A "EUR"}} {{number A 2}} {{percent A 0}}', { A })).toBe(
      '€0.00 0.00 0%',
    );
  }
  expect(line('{{currency A "EUR"}}', { A: -0.01 })).toBe('-€0.01');
});

it.each([
  [[1e-7, 2e-7], '0.0000003'],
  [[0.1, 0.2, 1e-7], '0.3000001'],
  [[1e21, 1], '1,000,000,000,000,000,000,000'],
])('the sum of %j is %s', (L, text) => {
  expect(line('{{number (sum L)}}', { L })).toBe(text);
});
