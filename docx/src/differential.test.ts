import { createRequire } from 'node:module';
import type DocxtemplaterClass from 'docxtemplater';
import type PizZipClass from 'pizzip';
import { describe, expect, it } from 'vitest';
import { docx, p, r, table } from '../test/builder.ts';
import { random } from '../test/random.ts';
import { faults, textLines } from '../test/read.ts';
import { compile } from './index.ts';

// Both are CommonJS; their types describe a default export that Node does not give.
const require = createRequire(import.meta.url);
const Docxtemplater = require('docxtemplater') as typeof DocxtemplaterClass;
const PizZip = require('pizzip') as typeof PizZipClass;

/** docxtemplater, taught our way to write loops and paths. */
function oracle(template: Buffer, data: unknown): string[] {
  const module = {
    name: 'EachAndIf',
    optionsTransformer: (
      options: object,
      { modules }: { modules: { name: string; prefix: Record<string, RegExp> }[] },
    ) => {
      const loops = modules.find(({ name }) => name === 'LoopModule');
      if (loops) {
        loops.prefix['start'] = /^#(?:each|if)\s+(.+)$/;
        loops.prefix['end'] = /^\/(?:each|if)()$/;
      }
      return options;
    },
  };
  const parser = (tag: string) => ({
    get: (scope: unknown) => {
      if (tag === 'this') return scope;
      let at = scope;
      for (const key of tag.split('.')) at = (at as Record<string, unknown> | undefined)?.[key];
      return at;
    },
  });
  const document = new Docxtemplater(new PizZip(template), {
    modules: [module as never],
    parser,
    paragraphLoop: true,
    linebreaks: true,

    delimiters: {
      start: '{{',
      end: '}}',
    },
    nullGetter: () => '',
  });
  document.render(data);
  return textLines(document.getZip().generate({ type: 'nodebuffer' }));
}

/** Cuts a text into runs at random places, tags included, as Word does. */
function runs(text: string, next: (below: number) => number): string {
  let body = '';
  let rest = text;
  while (rest !== '') {
    const length = 1 + next(12);
    const look = next(3) === 0 ? '<w:rPr><w:b/></w:rPr>' : '';
    body +=
      r(rest.slice(0, length), look) + (next(4) === 0 ? '<w:proofErr w:type="spellEnd"/>' : '');
    rest = rest.slice(length);
  }
  return `<w:p>${body}</w:p>`;
}

function someTemplate(next: (below: number) => number): string {
  const blocks = [
    () => runs('Dear {{Account.Name}}, <b> & {{Account.Owner.Name}} "x" {{Missing}}.', next),
    () => runs('a {{#if Yes}}yes {{Account.Name}}{{/if}} b {{#if No}}no{{/if}} c', next),
    () => runs('list {{#each Lines}}{{Name}}={{Qty}}; {{/each}}end', next),
    () =>
      p('{{#each Lines}}') +
      runs('{{Name}} times {{Qty}}', next) +
      p('{{#if Extra}}') +
      runs('extra {{Extra}}', next) +
      p('{{/if}}') +
      p('{{/each}}'),
    () =>
      table([
        ['Name', 'Qty'],
        ['{{#each Lines}}{{Name}}', '{{Qty}}{{/each}}'],
      ]),
    () =>
      p('{{#each Orders}}') +
      runs('Order {{Id}}', next) +
      table([
        ['Head', 'x'],
        ['{{#each Items}}{{Sku}}', '{{Id}}{{/each}}'],
      ]) +
      p('{{/each}}'),
    () =>
      p('{{#if No}}') + runs('never {{Account.Name}}', next) + table([['a', 'b']]) + p('{{/if}}'),
    () => runs('Notes: {{Notes}}!', next),
  ];
  return Array.from({ length: 2 + next(6) }, () => blocks[next(blocks.length)]?.() ?? '').join('');
}

function someData(next: (below: number) => number): unknown {
  const word = () => ['mill', 'race', 'wheel & water', '<sluice>', 'Größe "42"', ''][next(6)];
  const some = <T>(make: (n: number) => T) => Array.from({ length: next(4) }, (_, n) => make(n));
  return {
    Yes: true,
    No: false,
    Notes: ['one\ntwo', 'plain'][next(2)],
    Account: {
      Name: word(),
      Owner: { Name: word() },
    },
    Lines: some((n) => ({
      Name: word(),
      Qty: n,
      Extra: word(),
    })),
    Orders: some((n) => ({
      Id: `o${n}`,
      Items: some((m) => ({
        Sku: word(),
        Id: `i${m}`,
      })),
    })),
  };
}

/** The other engine leaves a cell's and a table's edge to Word: blank lines between are not compared. */
const seen = (lines: readonly string[]) => lines.filter((line) => line !== '');

describe('beside docxtemplater', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))('template %i reads the same', (seed) => {
    const next = random(seed + 1);
    const template = docx(someTemplate(next));
    for (let turn = 0; turn < 2; turn++) {
      const data = someData(next);
      const output = compile(template).merge(data);
      expect(faults(output)).toEqual([]);
      expect(seen(textLines(output))).toEqual(seen(oracle(template, data)));
    }
  });
});
