// The invoice that all measurements of documents share: 15 fields, a table that repeats a row of six columns, a
// condition, a header and a footer; document.xml has about 28 KB. Each engine gets it in the tags it reads.

import PizZip from 'pizzip';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const COLUMNS = ['Number', 'Sku', 'Name', 'Quantity', 'Price', 'Amount'];
const WIDTHS = [900, 1400, 3400, 1100, 1400, 1438];
/** Brings document.xml to the size of a template that somebody wrote in Word. */
const CLAUSES = 24;

/**
 * How an engine writes its tags. `field` and `column` give a tag; `condition` wraps a text; `row` wraps the cells
 * of the row that repeats, and may put rows of its own around it, or says how often the row stands there.
 *
 * @typedef {object} Dialect
 * @property {(path: string) => string} field
 * @property {(name: string, row: number) => string} column
 * @property {(path: string, text: string) => string} condition
 * @property {{ first: string, last: string } | { before: string, after: string } | { times: number }} row
 */

/** @type {Record<string, Dialect>} */
export const dialects = {
  millrace: {
    field: (path) => `{{${path}}}`,
    column: (name) => `{{${name}}}`,
    condition: (path, text) => `{{#if ${path}}}${text}{{/if}}`,
    row: { first: '{{#each Lines}}', last: '{{/each}}' },
  },
  /** For spreadsheets, which have no lists: each line of the invoice has columns of its own. */
  millraceColumns: {
    field: (path) => `{{${path}}}`,
    column: (name, row) => `{{Line${row}.${name}}}`,
    condition: (path, text) => `{{#if ${path}}}${text}{{/if}}`,
    row: { times: 10 },
  },
  docxTemplates: {
    field: (path) => `{{INS ${path}}}`,
    column: (name) => `{{INS $line.${name}}}`,
    condition: (path, text) => `{{IF ${path}}}${text}{{END-IF}}`,
    row: { before: '{{FOR line IN Lines}}', after: '{{END-FOR line}}' },
  },
  docxtemplater: {
    field: (path) => `{${path}}`,
    column: (name) => `{${name}}`,
    condition: (path, text) => `{#${path}}${text}{/${path}}`,
    row: { first: '{#Lines}', last: '{/Lines}' },
  },
  easyTemplateX: {
    field: (path) => `{${path}}`,
    column: (name) => `{${name}}`,
    condition: (path, text) => `{#${path}}${text}{/${path}}`,
    row: { first: '{#Lines}', last: '{/Lines}' },
  },
};

/** @param {Dialect} dialect @param {number} [times] how often all of its text stands in it, as in a long contract */
export function invoiceTemplate({ field, column, condition, row }, times = 1) {
  const body = [
    heading(`Invoice ${field('Invoice.Number')}`),
    paragraph(`Date: ${field('Invoice.Date')}, due on ${field('Invoice.Due')}`),
    paragraph(field('Account.Name')),
    paragraph(`${field('Account.Street')}, ${field('Account.Zip')} ${field('Account.City')}`),
    paragraph(`Dear ${field('Contact.Name')},`),
    paragraph(`thank you for your order ${field('Order.Number')} of ${field('Order.Date')}.`),
    lines(column, row),
    paragraph(`Total: ${field('Invoice.Total')}, of which VAT: ${field('Invoice.Vat')}`),
    paragraph(`Terms. ${condition('Invoice.Paid', 'This invoice is paid.')} With kind regards,`),
    paragraph(field('Owner.Name')),
    ...Array.from({ length: CLAUSES }, (_, n) => clause(n + 1)),
  ].join('');
  return pack({
    document:
      `<w:document xmlns:w="${W}" xmlns:r="${R}"><w:body>${body.repeat(times)}<w:sectPr>` +
      '<w:headerReference w:type="default" r:id="rId2"/><w:footerReference w:type="default" r:id="rId3"/>' +
      '<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" ' +
      'w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>',
    styles: styles(),
    header1: `<w:hdr xmlns:w="${W}">${paragraph(field('Company.Name'))}</w:hdr>`,
    footer1: `<w:ftr xmlns:w="${W}">${paragraph(`Bank account ${field('Company.Iban')}`)}</w:ftr>`,
  });
}

/** A page of texts, one paragraph each, without styles, header or footer. */
export function plainDocx(texts) {
  const body = texts.map(
    (text) => `<w:p><w:r><w:t>${text.replaceAll('&', '&amp;')}</w:t></w:r></w:p>`,
  );
  const section = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
  return pack({
    document: `<w:document xmlns:w="${W}"><w:body>${body.join('')}${section}</w:body></w:document>`,
  });
}

/** All values are texts: engines format numbers each in their own way. No two `seed`s give the same. */
export function invoiceData(rows, seed = 0) {
  const amount = (n) => `${n.toFixed(2)} EUR`;
  return {
    Invoice: {
      Number: `2026-${String(seed).padStart(6, '0')}`,
      Date: '31 January 2026',
      Due: '28 February 2026',
      Total: amount(rows * 119 + seed),
      Vat: amount(rows * 19),
      Paid: true,
    },
    Account: {
      Name: 'Wheel & Water <Mills>',
      Street: `Race ${seed % 97}`,
      Zip: '26121',
      City: 'Oldenburg',
    },
    Contact: { Name: 'Grace Ündal' },
    Order: { Number: `O-${seed}`, Date: '15 January 2026' },
    Owner: { Name: 'Ada Müller' },
    Company: { Name: 'Mill & Sons', Iban: 'DE02 1203 0000 0000 2020 51' },
    Lines: Array.from({ length: rows }, (_, n) => ({
      Number: String(n + 1),
      Sku: `SKU-${(n * 7919 + seed) % 100_000}`,
      Name: `Part ${n} of the wheel, "large" & wet`,
      Quantity: String(1 + (n % 9)),
      Price: amount(10 + (n % 50)),
      Amount: amount((1 + (n % 9)) * (10 + (n % 50))),
    })),
  };
}

/** One invoice a row, its lines beside each other: `Line1.Sku`. */
export function invoiceCsv(rows, first, count) {
  const flat = (seed) => {
    const { Lines, ...rest } = invoiceData(rows, seed);
    const columns = Object.fromEntries(Lines.map((line, n) => [`Line${n + 1}`, line]));
    return Object.entries({ ...rest, ...columns }).flatMap(([name, fields]) =>
      Object.entries(fields).map(([field, value]) => [`${name}.${field}`, String(value)]),
    );
  };
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  const header = flat(first).map(([name]) => name);
  const cells = Array.from({ length: count }, (_, n) => flat(first + n).map(([, text]) => text));
  return `${[header, ...cells].map((row) => row.map(quoted).join(',')).join('\n')}\n`;
}

/** What a reader sees: the number of rows, and the text of each paragraph of each part that is not empty. */
export function readDocx(bytes) {
  const zip = new PizZip(bytes);
  const [document, header, footer] = ['document', 'header1', 'footer1'].map((name) =>
    zip.file(`word/${name}.xml`).asText(),
  );
  return {
    rows: [...document.matchAll(/<w:tr[ >]/g)].length,
    texts: [document, header, footer].flatMap(paragraphTexts),
  };
}

function paragraphTexts(xml) {
  return xml
    .split('</w:p>')
    .map((part) => [...part.matchAll(/<w:t(?: [^>]*)?>([^<]*)<\/w:t>/g)].map(([, t]) => t).join(''))
    .map(decoded)
    .filter((text) => text.trim() !== '');
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const decoded = (text) =>
  text.replaceAll(/&(?:(lt|gt|quot|apos|amp)|#(\d+)|#x([\da-f]+));/gi, (_, name, decimal, hex) =>
    name ? ENTITIES[name] : String.fromCodePoint(decimal ? Number(decimal) : parseInt(hex, 16)),
  );

const run = (text, bold = false) =>
  `<w:r w:rsidR="00A77B3E"><w:rPr>${bold ? '<w:b/>' : ''}<w:rFonts w:ascii="Liberation Sans" ` +
  'w:hAnsi="Liberation Sans" w:cs="Liberation Sans"/><w:sz w:val="20"/><w:szCs w:val="20"/>' +
  `<w:lang w:val="en-GB"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (text) =>
  '<w:p w:rsidR="00A77B3E" w:rsidRDefault="00A77B3E"><w:pPr><w:pStyle w:val="Body"/>' +
  `<w:spacing w:before="60" w:after="60"/></w:pPr>${run(text)}</w:p>`;
const heading = (text) =>
  '<w:p w:rsidR="00A77B3E" w:rsidRDefault="00A77B3E"><w:pPr><w:pStyle w:val="Heading1"/>' +
  `<w:keepNext/></w:pPr>${run(text, true)}</w:p>`;
const cell = (text, column, bold = false) =>
  `<w:tc><w:tcPr><w:tcW w:w="${WIDTHS[column]}" w:type="dxa"/></w:tcPr>` +
  `<w:p w:rsidR="00A77B3E" w:rsidRDefault="00A77B3E">${run(text, bold)}</w:p></w:tc>`;

function lines(column, row) {
  const tr = (cells) => `<w:tr w:rsidR="00A77B3E">${cells.join('')}</w:tr>`;
  const alone = (tag) => tr(COLUMNS.map((_, n) => cell(n === 0 ? tag : '', n)));
  const { first = '', last = '', before, after, times = 1 } = row;
  const cells = (at) =>
    COLUMNS.map((name, n) => {
      const [from, to] = [n === 0 ? first : '', n === COLUMNS.length - 1 ? last : ''];
      return cell(from + column(name, at) + to, n);
    });
  const rows = Array.from({ length: times }, (_, n) => tr(cells(n + 1))).join('');
  const repeated = before === undefined ? rows : alone(before) + rows + alone(after);
  const titles = tr(COLUMNS.map((name, n) => cell(name, n, true)));
  const grid = WIDTHS.map((width) => `<w:gridCol w:w="${width}"/>`).join('');
  return (
    '<w:tbl><w:tblPr><w:tblW w:w="9638" w:type="dxa"/><w:tblLayout w:type="fixed"/></w:tblPr>' +
    `<w:tblGrid>${grid}</w:tblGrid>${titles}${repeated}</w:tbl>`
  );
}

/** A paragraph without tags, in three runs as Word leaves them. */
function clause(n) {
  const texts = [
    `${n}. The goods stay ours until they are paid.`,
    ' What is late bears',
    ' interest.',
  ];
  return paragraph('').replace(run(''), texts.map((text) => run(text)).join(''));
}

function styles() {
  const style = (id, name, look) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>` +
    `<w:basedOn w:val="Normal"/><w:rPr>${look}</w:rPr></w:style>`;
  return (
    `<w:styles xmlns:w="${W}"><w:style w:type="paragraph" w:default="1" w:styleId="Normal">` +
    '<w:name w:val="Normal"/></w:style>' +
    style('Body', 'Body', '<w:sz w:val="20"/>') +
    style('Heading1', 'heading 1', '<w:b/><w:sz w:val="32"/>') +
    '</w:styles>'
  );
}

function pack(parts) {
  const known = { styles: 'styles', header1: 'header', footer1: 'footer' };
  const kinds = Object.entries(known).filter(([name]) => name in parts);
  const zip = new PizZip();
  const add = (name, xml) => zip.file(name, HEAD + xml);
  const override = (name, kind) =>
    `<Override PartName="/word/${name}.xml" ContentType="${TYPE}.${kind}+xml"/>`;
  const relations = (list) =>
    `<Relationships xmlns="${PACKAGE}/relationships">` +
    list
      .map(([id, kind, at]) => `<Relationship Id="${id}" Type="${R}/${kind}" Target="${at}"/>`)
      .join('') +
    '</Relationships>';
  add(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ` +
      'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      override('document', 'document.main') +
      kinds.map(([name, kind]) => override(name, kind)).join('') +
      '</Types>',
  );
  add('_rels/.rels', relations([['rId1', 'officeDocument', 'word/document.xml']]));
  add(
    'word/_rels/document.xml.rels',
    relations(kinds.map(([name, kind], n) => [`rId${n + 1}`, kind, `${name}.xml`])),
  );
  for (const [name, xml] of Object.entries(parts)) add(`word/${name}.xml`, xml);
  return zip.generate({ type: 'nodebuffer', compression: 'DEFLATE' });
}
