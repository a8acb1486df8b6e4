import { describe, expect, test } from 'vitest';
import { docx, p, r, table, tc } from '../../test/builder.ts';
import { lint } from '../lint.ts';
import { lostText, madeUpData, tryOut } from './trial.ts';
import { FILLED, paragraphsOf } from './texts.ts';

const dataFor = (...paragraphs: string[]) =>
  madeUpData(lint(docx(paragraphs.map((text) => p(text)).join(''))).fields);

describe('made-up data', () => {
  test('has what the template asks for, in its own shape', () => {
    const data = dataFor(
      '{{Account.Name}} {{currency Total Currency}} {{image Logo}}',
      '{{#each Lines}}{{Price}}{{#each Taxes}}{{this}}{{/each}}{{/each}}{{count Notes}}',
    );
    const line = { Price: 12, Taxes: [12, 12] };
    expect(data).toEqual({
      Account: { Name: 12 },
      Total: 12,
      Currency: 'EUR',
      Logo: expect.stringMatching(/^iVBOR/),
      Lines: [line, line],
      Notes: [12, 12],
    });
    expect(dataFor('no tags')).toEqual({});
  });

  test('is taken by every helper', () => {
    const tags = [
      '{{date A}} {{number B}} {{percent C}} {{currency D "EUR"}} {{upper E}} {{link F}} {{qr G}}',
      '{{html H}} {{image I}} {{sum L "x"}} {{join L "y" ", "}} {{default M "-"}} {{pageBreak}}',
      '{{#if eq N "x"}}a{{else if gt O 3}}b{{else}}c{{/if}} {{image "https://example.com/a.png"}}',
    ];
    const { failure, lost } = tryOut(docx(tags.map((text) => p(text)).join('')));
    expect({ failure, lost }).toEqual({ failure: null, lost: [] });
  });
});

describe('the text of a part', () => {
  const inserted = `<w:ins w:id="1">${r('new')}</w:ins>`;
  const deleted = '<w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del>';
  const moved = `<w:moveFrom w:id="3">${r('moved')}</w:moveFrom>`;

  test('is that of accepted changes', () => {
    expect(paragraphsOf(`<w:p>${r('a ')}${inserted}${deleted}${moved}</w:p>`)).toEqual(['a new']);
    const row = (mark: string, text: string) =>
      `<w:tr><w:trPr>${mark}</w:trPr>${tc(p(text))}</w:tr>`;
    expect(
      paragraphsOf(`<w:tbl>${row('<w:del w:id="1"/>', 'gone')}${row('', 'stays')}</w:tbl>`),
    ).toEqual(['stays']);
    const cell =
      '<w:tc><w:tcPr><w:cellDel w:id="1"/></w:tcPr><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:tc>';
    expect(paragraphsOf(`<w:tr>${cell}${tc(p('stays'))}</w:tr>`)).toEqual(['stays']);
  });

  test('has any prefix, entities, CDATA and text boxes, and no field codes', () => {
    expect(
      paragraphsOf('<x:p><x:r><x:t>1 &lt; 2 &amp;lt; &#65;<![CDATA[ <3]]></x:t></x:r></x:p>'),
    ).toEqual(['1 < 2 &lt; A <3']);
    expect(paragraphsOf(`<w:p>${r('out')}<w:txbxContent>${p('in')}</w:txbxContent></w:p>`)).toEqual(
      ['in', 'out'],
    );
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const field = (code: string, result: string) =>
      `<w:p>${mark('begin')}<w:r><w:instrText>${code}</w:instrText></w:r>${mark('separate')}${r(result)}${mark('end')}</w:p>`;
    expect(paragraphsOf(field(' PAGE ', '7') + field(' MERGEFIELD Name ', '«Name»'))).toEqual([
      '7',
      FILLED,
    ]);
  });
});

describe('lost text', () => {
  const merged = p('Dear Ann,') + p('the rest');

  test('is what stands in the template and not in the document, tags left out', () => {
    expect(lostText(p('Dear {{Name}},') + p('the  rest'), merged)).toEqual([]);
    expect(lostText(p('Dear {{Na', 'me}}, hello') + p('the rest'), merged)).toEqual([', hello']);
    expect(lostText(p('{{#each L}}row{{/each}}'), merged)).toEqual(['row']);
  });

  test.each(['MERGEFIELD Name', 'FILENAME', 'IF {{A}} = 1 yes no'])(
    'is not what stands around a %s',
    (code) => {
      const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
      const complex = `${mark('begin')}<w:r><w:instrText>${code}</w:instrText></w:r>${mark('separate')}${r('old')}${mark('end')}`;
      const simple = `<w:fldSimple w:instr="${code}">${r('old')}</w:fldSimple>`;
      for (const field of [complex, simple]) {
        const template = `<w:p>${r('Dear ')}${field}${r(', hello')}</w:p>`;
        expect(lostText(template, p('Dear Ann, hello'))).toEqual([]);
        expect(lostText(template, p('Dear Ann'))).toEqual([', hello']);
      }
    },
  );

  test('is not what a condition may leave out', () => {
    const optional = '{{#if a}}one{{else}}two{{/if}}{{#each L}}Dear{{else}}none{{/each}}';
    expect(
      lostText(p(optional) + p('{{#unless b}}') + p('three') + p('{{/unless}}'), merged),
    ).toEqual([]);
  });
});

describe('a trial', () => {
  test('goes all the way with a sound file, also one without tags', () => {
    const sound = docx(
      p('Dear {{Name}}') +
        table([
          ['Item', 'Price'],
          ['{{#each L}}{{Item}}', '{{Price}}{{/each}}'],
        ]),
      { header: p('{{Company}} Ltd'), footnotes: '' },
    );
    for (const bytes of [sound, docx(p('No tags'))])
      expect(tryOut(bytes)).toMatchObject({
        compiled: true,
        failure: null,
        lost: [],
        docx: expect.any(Uint8Array),
      });
  });

  test('says how far another came, and why not further', () => {
    expect(tryOut(Buffer.from('no zip'))).toMatchObject({
      compiled: false,
      failure: { step: 'compile', code: 'not_a_docx' },
      problems: [{ severity: 'error', code: 'not_a_docx' }],
    });
    expect(tryOut(docx(p('{{currency A "no code"}}')))).toMatchObject({
      compiled: true,
      failure: { step: 'merge', code: 'bad_value' },
    });
  });
});
