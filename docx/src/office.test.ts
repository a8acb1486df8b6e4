import { describe, expect, it } from 'vitest';
import { PAGE_BREAK, docx, li, p, r, relationship, table } from '../test/builder.ts';
import { convert } from '../test/office.ts';
import { SVG, png } from '../test/pictures.ts';
import { faults } from '../test/read.ts';
import { compile } from './index.ts';

const BULLETS =
  '<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/><w:lvlJc w:val="left"/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>';
const numbering = {
  relationships: relationship('rIdN', 'numbering', 'numbering.xml'),
  files: { 'word/numbering.xml': BULLETS },
  overrides: {
    'word/numbering.xml':
      'application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml',
  },
};

const box = (inner: string) =>
  '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="2700000" cy="600000"/><wp:docPr id="7" name="Box"/>' +
  '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr txBox="1"/><wps:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="2700000" cy="600000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:ln w="9525"><a:solidFill><a:srgbClr val="000000"/></a:solidFill></a:ln></wps:spPr><wps:txbx>' +
  `<w:txbxContent>${inner}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>` +
  `<mc:Fallback><w:pict><v:shape id="_x0000_s1026" style="width:200pt;height:50pt"><v:textbox><w:txbxContent>${inner}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>` +
  '</mc:AlternateContent></w:r></w:p>';

describe('LibreOffice opens', () => {
  it('blocks of every level, in every part', async () => {
    const body =
      p('Offer for {{Account.Name}}') +
      table([
        ['Item', 'Qty', 'Price'],
        ['{{#each Lines}}{{Name}}', '{{Qty}}', '{{currency Price "EUR"}}{{/each}}'],
        ['Total', '', '{{currency (sum Lines "Price") "EUR"}}'],
      ]) +
      table([['Month', '{{#each Months by=column}}{{this}}{{/each}}']]) +
      li('{{#each Lines}}Item {{Name}}{{/each}}') +
      p('{{#each Lines}}') +
      table([['Card {{Name}}', '{{@number}} of {{count ../Lines}}']]) +
      p('{{/each}}') +
      box(p('{{#if Account}}') + p('Boxed {{Account.Name}}') + p('{{/if}}')) +
      '<w:sdt><w:sdtPr><w:id w:val="5"/><w:text/></w:sdtPr><w:sdtContent>' +
      p('Control {{Account.Name}}') +
      '</w:sdtContent></w:sdt>' +
      `<w:p>${r('Noted')}<w:r><w:footnoteReference w:id="1"/></w:r></w:p>` +
      PAGE_BREAK +
      p('{{#if Hidden}}') +
      p('HIDDEN') +
      p('{{/if}}') +
      PAGE_BREAK +
      p('Last page');
    const template = compile(
      docx(body, {
        ...numbering,
        header: p('Header {{Account.Name}}'),
        footer: p('Footer {{date Day "long"}}'),
        footnotes: `<w:footnote w:id="1">${p('A note for {{Account.Name}}')}</w:footnote>`,
      }),
    );
    const output = template.merge(
      {
        Account: { Name: 'Mühle & Söhne' },
        Day: '2025-01-31',
        Months: ['Jan', 'Feb', 'Mar'],
        Lines: [
          { Name: 'Wheel', Qty: 1, Price: 1200.5 },
          { Name: 'Sluice', Qty: 2, Price: 99 },
        ],
      },
      { locale: 'de-DE', timeZone: 'Europe/Berlin' },
    );
    expect(faults(output)).toEqual([]);
    const { pages } = await convert(output);
    expect(pages).toHaveLength(2);
    const [first = '', last = ''] = pages;
    for (const text of [
      'Header Mühle & Söhne',
      'Offer for Mühle & Söhne',
      'Footer 31. Januar 2025',
      'Boxed Mühle',
      'Control Mühle',
      'A note for Mühle',
      '2) Item Sluice',
    ]) {
      expect(first).toContain(text);
    }
    expect(first).toMatch(/Wheel +1 +1\.200,50\s€/);
    expect(first).toMatch(/Total +1\.299,50\s€/);
    expect(first).toMatch(/Month +Jan +Feb +Mar/);
    expect(first).toMatch(/Card Sluice +2 of 2/);
    expect(first.match(/Boxed/g)).toHaveLength(1);
    expect(last).toContain('Last page');
    expect(pages.join()).not.toMatch(/HIDDEN|\{\{/);
  });

  it('pictures, codes, links and rich text', async () => {
    const body =
      p('Photo: {{image Photo width=4cm alt="A photo"}}') +
      p('Drawing: {{image Drawing height=2cm}}') +
      p('Code: {{qr Url size=3cm}}') +
      p('Visit {{link Url "our shop"}} today.') +
      p('{{html Text}}') +
      table([['Inline: {{html Text}}', '{{image Photo width=1cm}}']]) +
      p('{{Lines}}{{pageBreak}}second page');
    const output = compile(docx(body, { header: p('{{image Photo height=5mm}}') })).merge({
      Photo: png(40, 20).toString('base64'),
      Drawing: SVG.toString('base64'),
      Url: 'https://example.com/shop?a=1&b=2',
      Text: '<h2>Terms</h2><p>Pay <b>soon</b>, <i>please</i> &ndash; see <a href="https://example.com">here</a>.</p><ul><li>first<ol><li>deeper</li></ol></li><li>second</li></ul>',
      Lines: 'one\ntwo',
    });
    expect(faults(output)).toEqual([]);
    const { pages, links, pictures } = await convert(output);
    expect(pages).toHaveLength(2);
    expect(pages[0]).toMatch(/Visit our shop today\./);
    expect(pages[0]).toMatch(/Terms\n+ *Pay soon, please – see here\./);
    expect(pages[0]).toMatch(/• +first\n+ +1\. +deeper\n+ *• +second/);
    expect(pages[0]).toMatch(/one\n+ *two/);
    expect(pages[1]).toContain('second page');
    // The photo in the text, the header (twice) and the cell, and the code; the SVG is drawn as lines.
    expect(pictures).toBeGreaterThanOrEqual(4);
    expect(links).toContain('https://example.com/shop?a=1&b=2');
  });
});
