import { describe, expect, test } from 'vitest';
import { type SqlValue, bindSql, namesIn } from './bind.ts';
import { lex, unquoted } from './tokens.ts';

const one = (value: SqlValue) => bindSql(':v', { v: value });

describe('a value', () => {
  test.each<[SqlValue, string]>([
    ['Ada', "N'Ada'"],
    ['', "N''"],
    ["O'Brien", "N'O''Brien'"],
    ["'; DROP TABLE x --", "N'''; DROP TABLE x --'"],
    ['Zoë 日本', "N'Zoë 日本'"],
    [42, '42'],
    [1.5, '1.5'],
    [-3, '(-3)'],
    [-0, '(0)'],
    [1e21, '1e+21'],
    [true, '1'],
    [false, '0'],
    [null, 'NULL'],
    [{ date: '2026-01-31' }, "CONVERT(date, '20260131', 112)"],
    [{ date: '2026-01-31T09:30' }, "CONVERT(datetime, '2026-01-31T09:30:00', 126)"],
    [['a', "b'c", 1, null], "N'a', N'b''c', 1, NULL"],
    [[], 'NULL'],
  ])('%j is written as %s', (value, literal) => expect(one(value)).toBe(literal));

  test('with a backslash before a line break keeps both', () => {
    expect(one('a\\\nb')).toBe("(N'a\\' + N'\nb')");
    expect(one('a\\\r\nb\\c')).toBe("(N'a\\' + N'\r\nb\\c')");
  });

  test.each<[SqlValue]>([[Number.NaN], [Infinity], ['a\u0000b'], ['\ud800'], [{ date: 'x' }]])(
    '%j is refused',
    (value) => expect(() => one(value)).toThrow(':v'),
  );
  test('that is no day of the calendar is refused', () => {
    expect(() => one({ date: '2026-02-31' })).toThrow('no date');
    expect(() => one({ date: "2026-01-01' OR 1=1" })).toThrow('no date');
  });
});

describe('a place', () => {
  test('is found outside of strings, names and comments alone', () => {
    const sql = "SELECT ':a' AS [:a], \":a\" /* :a */ FROM t WHERE x = :a AND y::a = N':a' -- :a";
    expect(namesIn(sql)).toEqual(['a']);
    expect(bindSql(sql, { a: 7 })).toBe(sql.replace('= :a AND', '= 7 AND'));
  });

  test('is where its value stands, once for each time that it is named', () => {
    expect(bindSql('x=:a AND y=:b OR z=:a', { a: 1, b: 'q' })).toBe("x=1 AND y=N'q' OR z=1");
    expect(bindSql('5-:n', { n: -1 })).toBe('5-(-1)');
  });

  test('without a value says where it is, and a value without a place its name', () => {
    expect(() => bindSql('SELECT 1\n WHERE :from', {})).toThrow('Line 2, column 8: :from');
    expect(() => bindSql('SELECT 1', { from: 1 })).toThrow('does not use :from');
    expect(() => bindSql('WHERE :toString', {})).toThrow('has no value');
  });
});

/** Whatever the text is, T-SQL reads one literal with exactly this text in it. */
test('no text ends its literal', () => {
  const pieces = [
    "'",
    "''",
    '\\',
    '\n',
    '\r\n',
    '--',
    '/*',
    '*/',
    ';',
    'N',
    ']',
    '"',
    ':v',
    'é',
    ' ',
  ];
  let seed = 7;
  const random = (most: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  for (let round = 0; round < 2_000; round += 1) {
    const text = Array.from({ length: random(9) }, () => pieces[random(pieces.length)]).join('');
    const { tokens, unterminated } = lex(one(text));
    expect(unterminated).toBeNull();
    const strings = tokens.filter(({ kind }) => kind === 'string');
    expect(tokens.every(({ text: t, kind }) => kind === 'string' || '()+'.includes(t))).toBe(true);
    expect(strings.map(unquoted).join('')).toBe(text);
    for (const each of strings) expect(each.text).not.toMatch(/\\\r?\n/);
  }
});
