import { describe, expect, test } from 'vitest';
import { screenOf } from '../../test/terminal.ts';
import { createScreen } from '../terminal/screen.ts';
import { bar, percent } from './bar.ts';
import { coloured, plain } from './colour.ts';
import { createLive } from './live.ts';
import { type Column, layOut, table } from './table.ts';
import { age, durationMs, lasting, relative } from './time.ts';
import { clean, cut, cutPainted, widthOf, wrap } from './width.ts';

describe('width', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['naïve', 5],
    ['nai\u0308ve', 5],
    ['漢字', 4],
    ['한국어', 6],
    ['ｶﾅ', 2],
    ['ＡＢ', 4],
    ['👍🏽', 2],
    ['👨‍👩‍👧', 2],
    ['❤️', 2],
    ['🇨🇭', 2],
    ['─━…', 3],
  ])('of %s is %i', (text, expected) => expect(widthOf(text)).toBe(expected));

  test.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['漢字漢字', 5, '漢字…'],
    ['漢字漢字', 4, '漢…'],
    ['ab cdef', 4, 'ab…'],
    ['👨‍👩‍👧👨‍👩‍👧', 3, '👨‍👩‍👧…'],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%s in %i columns is %s', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
    expect(widthOf(cut(text, columns))).toBeLessThanOrEqual(columns);
  });

  test('control characters never reach the terminal', () => {
    expect(clean('a\u001B[31mb\r\nc\u0007\u009B2J\u202Ed\te')).toBe('a [31mb c 2J d e');
  });

  test('a coloured line is cut with its colours closed', () => {
    const line = `${coloured('red', 'abc')} ${coloured('dim', 'def')}`;
    expect(cutPainted(line, 6)).toBe(`${coloured('red', 'abc')} ${coloured('dim', 'd…')}`);
    expect(cutPainted(line, 3)).toBe(`${coloured('red', 'abc')}\u001B[2m\u001B[22m`);
    expect(cutPainted(line, 7)).toBe(line);
  });

  test('wraps at spaces', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('incomprehensibilities', 8)).toEqual(['incomprehensibilities']);
    expect(wrap('', 8)).toEqual(['']);
    expect(wrap('a  b', Infinity)).toEqual(['a  b']);
  });
});

describe('a table', () => {
  interface Row {
    name: string;
    size: number;
    note: string;
  }
  const columns: Column<Row>[] = [
    { header: 'NAME', shrinkTo: 4, cell: ({ name }) => name, style: () => 'red' },
    { header: 'SIZE', align: 'right', leaveOut: 1, cell: ({ size }) => String(size) },
    { header: 'NOTE', shrinkTo: 5, cell: ({ note }) => note },
  ];
  const rows: Row[] = [
    { name: '漢字', size: 7, note: '' },
    { name: 'abcdefgh', size: 12_345, note: 'something long' },
  ];

  test.each([
    [Infinity, ['NAME       SIZE  NOTE', '漢字          7', 'abcdefgh  12345  something long']],
    [26, ['NAME       SIZE  NOTE', '漢字          7', 'abcdefgh  12345  somethin…']],
    [20, ['NAME     SIZE  NOTE', '漢字        7', 'abcde…  12345  some…']],
    [12, ['NAME   NOTE', '漢字', 'abcd…  some…']],
  ])('in %i columns', (width, expected) => {
    const lines = table(columns, rows, width, plain);
    expect(lines.map((line) => line.trimEnd())).toEqual(lines);
    expect(lines).toEqual(expected);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  test('colours the text and not the space around it', () => {
    const [, line = ''] = table(columns, rows, Infinity, coloured);
    expect(line.startsWith('\u001B[31m漢字\u001B[39m    ')).toBe(true);
  });

  test('keeps its layout for rows that come later', () => {
    const late = { name: 'a much longer name', size: 1, note: '' };
    expect(layOut(columns, rows, 40, plain).line(late)).toBe('a much…       1');
    expect(layOut(columns, rows, Infinity, plain).line(late)).toBe('a much longer name      1');
  });
});

describe('time', () => {
  test.each([
    [-5, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h'],
    [47 * 3_600_000, '47 h'],
    [48 * 3_600_000, '2 d'],
  ])('%i ms old is %s', (ms, expected) => expect(age(ms)).toBe(expected));

  test.each([
    [0, 'now'],
    [999, 'now'],
    [-999, 'now'],
    [-3 * 60_000, '3 min ago'],
    [5_000, 'in 5 s'],
  ])('%i ms from now is %s', (ms, expected) => {
    expect(relative(new Date(1_000_000 + ms).toISOString(), 1_000_000)).toBe(expected);
  });

  test.each([
    [-1, '0.0 s'],
    [0, '0.0 s'],
    [0.4, '1 ms'],
    [12, '12 ms'],
    [1_234, '1.2 s'],
    [9_949, '9.9 s'],
    [9_960, '10 s'],
    [59_700, '1 min'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
    [90_000_000, '1 d 1 h'],
  ])('%i ms last %s', (ms, expected) => expect(lasting(ms)).toBe(expected));

  test.each([
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['7d', 604_800_000],
    ['5', null],
    ['-5m', null],
    ['m', null],
    ['', null],
  ])('%s is %s ms', (text, expected) => expect(durationMs(text)).toBe(expected));
});

describe('a bar', () => {
  test.each([
    [0, '────', '0 %'],
    [0.007, '────', '0.7 %'],
    [0.5, '━━──', '50 %'],
    [0.9999, '━━━─', '99 %'],
    [1, '━━━━', '100 %'],
    [7, '━━━━', '100 %'],
    [NaN, '────', '0 %'],
  ])('of %d', (fraction, drawn, figure) => {
    expect(bar(fraction, 4, plain)).toBe(drawn);
    expect(percent(fraction)).toBe(figure);
  });
});

describe('live lines', () => {
  function terminal(columns: number, rows: number) {
    let sent = '';
    const stream = { isTTY: true, columns, rows, write: (text: string) => (sent += text) };
    return { live: createLive(createScreen(stream, {})), sent: () => sent };
  }

  test('are redrawn in place, whether they become more or fewer', () => {
    const { live, sent } = terminal(20, 10);
    for (const lines of [['one'], ['one', 'two', 'three'], ['1'], ['a', 'b']]) {
      live.draw(lines);
      expect(screenOf(sent())).toEqual(lines);
    }
    live.end(['the end']);
    expect(screenOf(sent())).toEqual(['the end']);
  });

  test('never wrap nor scroll', () => {
    const { live, sent } = terminal(5, 4);
    live.draw(['123456789', 'b', 'c', 'd', 'e']);
    expect(screenOf(sent())).toEqual(['1234…', 'b', 'c']);
  });

  test('can leave nothing behind', () => {
    const { live, sent } = terminal(20, 10);
    live.end();
    expect(sent()).toBe('');
    live.draw(['gone soon']);
    live.end();
    expect(screenOf(sent())).toEqual([]);
  });
});
