import { describe, expect, it } from 'vitest';
import { PAGE_BREAK, SECTION, docx, li, p, partXml, r, table } from '../test/builder.ts';
import { isLong } from '../../scripts/need.mjs';
import { random } from '../test/random.ts';
import { faults } from '../test/read.ts';
import { TemplateError, compile, lint } from './index.ts';

type Next = (below: number) => number;

const PIECES = (
  '{{A}}|{{L}}|{{this}}|{{../A}}|text| |{{#if A}}|{{#if B}}' +
  '|{{else}}|{{/if}}|{{#each L}}|{{#each M}}|{{/each}}|{{#unless B}}|{{/unless}}|{{pageBreak}}' +
  '|{{html H}}|{{link U "t"}}|{{qr A}}|{{#each L by=row}}|{{#each L by=column}}|{{#if B by=column}}|{{!c}}'
).split('|');

/** Tags anywhere, in any order: most of it is refused, and what is not must come out sound. */
function someText(next: Next): string {
  return Array.from({ length: 1 + next(2) }, () => PIECES[next(PIECES.length)] ?? '').join('');
}

/** Tags that fit together, around anything. */
function someBlock(next: Next, depth: number): string {
  const pairs: [string, string][] = [
    ['{{#each L}}', '{{/each}}'],
    ['{{#if B}}', '{{/if}}'],
    ['{{#if A}}', '{{/if}}'],
    ['{{#unless A}}', '{{/unless}}'],
  ];
  const [open, close] = pairs[next(4)] ?? ['', ''];
  const inner = someBody(next, depth + 1);
  const otherwise = next(3) === 0 ? p('{{else}}') + someBody(next, depth + 1) : '';
  switch (next(5)) {
    case 0:
      return p(`a ${open}{{this}}${close} b`);
    case 1:
      return table([
        ['head', 'x'],
        [`${open}{{this}}`, `${p('x')}${inner}${p(`y${close}`)}`],
      ]);
    case 2:
      return table([[`${open}{{this}}`, `z${close}`]]);
    case 3:
      return table([[p(open) + inner + otherwise + p(close), 'c']]);
    default:
      return p(open) + inner + otherwise + p(close);
  }
}

function bookmarked(id: number): string {
  return `<w:p><w:bookmarkStart w:id="${id}" w:name="m${id}"/>${r('{{A}}')}<w:bookmarkEnd w:id="${id}"/></w:p>`;
}

function someBody(next: Next, depth: number): string {
  const kinds: (() => string)[] = [
    () => p('{{A}}'),
    () => p('{{#if B}}x{{/if}}'),
    () => p('{{html H}}'),
    () => li('{{#each L}}{{this}}{{/each}}'),
    () => PAGE_BREAK,
    () => bookmarked(next(1e9)),
    () => `<w:p><w:pPr><w:sectPr>${SECTION}</w:sectPr></w:pPr>${r('s')}</w:p>`,
    () =>
      `<w:p><w:r><w:pict><v:shape id="s${next(1e9)}"><v:textbox><w:txbxContent>${depth < 3 ? someBlock(next, depth + 1) + p('t') : p('t')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`,
    () => (depth < 3 ? someBlock(next, depth) : ''),
    () => (depth < 3 ? someBlock(next, depth) : p('{{A}}')),
  ];
  return Array.from({ length: next(4) }, () => kinds[next(kinds.length)]?.() ?? '').join('');
}

function wild(next: Next): string {
  return Array.from({ length: 1 + next(2) }, () => {
    const texts = () => Array.from({ length: 1 + next(3) }, () => someText(next));
    return next(2) === 0
      ? texts()
          .map((text) => p(text))
          .join('')
      : table([texts(), texts()]);
  }).join('');
}

const DATA = [
  {},
  { A: 'a', L: [], M: [1], H: '<p>x</p><p>y</p>', U: 'https://e.example' },
  {
    A: 'a',
    B: true,
    L: ['x', { A: 'deep', L: [1, 2] }, null],
    M: [{}],
    H: '<ul><li>x</ul>',
    U: 'no',
  },
];

function check(template: Buffer): boolean {
  let compiled;
  try {
    compiled = compile(template);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError);
    expect(lint(template).ok).toBe(false);
    return false;
  }
  for (const data of DATA) {
    const output = compiled.merge(data);
    expect(faults(output)).toEqual([]);
    expect(partXml(output)).not.toContain('{{');
  }
  return true;
}

/** Other templates in the long suite, and five times as many. */
const [FROM, TIMES] = isLong ? [100_000, 5] : [0, 1];

describe('templates at random', () => {
  it('with tags anywhere are refused or come out sound', () => {
    let accepted = 0;
    for (let seed = 0; seed < 120 * TIMES; seed++)
      accepted += Number(check(docx(wild(random(FROM + seed)))));
    expect(accepted).toBeGreaterThan(2 * TIMES);
  });

  it('come out the same with white space between their elements', () => {
    let accepted = 0;
    for (let seed = 0; seed < 12 * TIMES; seed++) {
      const next = random(FROM + seed + 20_000);
      const body = someBlock(next, 0) + someBody(next, 0);
      if (!check(docx(body.replace(/>(?=<)/g, '>\n ')))) continue;
      accepted++;
      const [plain, spread] = [body, body.replace(/>(?=<)/g, '>\n ')].map((xml) =>
        compile(docx(xml)),
      );
      for (const data of DATA) {
        expect(spread && partXml(spread.merge(data))).toBe(plain && partXml(plain.merge(data)));
      }
    }
    expect(accepted).toBeGreaterThan(5 * TIMES);
  });

  it('with tags that fit come out sound', () => {
    let accepted = 0;
    for (let seed = 0; seed < 50 * TIMES; seed++) {
      const next = random(FROM + seed + 10_000);
      accepted += Number(check(docx(someBlock(next, 0) + someBody(next, 0) + someBlock(next, 0))));
    }
    expect(accepted).toBeGreaterThan(30 * TIMES);
  });
});
