import { docx, ruleAbove } from './package.mjs';
import {
  ACCENT,
  GREY,
  RULE,
  TINT,
  bold,
  cell,
  centre,
  colour,
  grey,
  keepNext,
  logoPicture,
  p,
  pageOfPages,
  right,
  row,
  run,
  size,
  spacing,
  style,
  table,
} from './word.mjs';

const WIDTH = 9524; // 16.8 cm between margins of 2.1 cm

const STYLES = [
  style('Normal', spacing(0, 0, 264)),
  style('Title', spacing(0, 60), `<w:b/>${colour(ACCENT)}${size(22)}`),
  style('Subtitle', spacing(0, 300), colour(GREY)),
  style('Label', spacing(0, 40), `<w:caps/>${colour(GREY)}<w:spacing w:val="12"/>${size(7.5)}`),
  style('Letterhead', spacing(0, 0, 252), `${colour(GREY)}${size(8.5)}`),
  style('Fact', `<w:tabs><w:tab w:val="right" w:pos="3600"/></w:tabs>${spacing(0, 40)}`),
  style('Column', spacing(0, 0), `<w:b/>${colour(ACCENT)}${size(8.5)}`),
  style('Column Right', right, '', 'Column'),
  style('Item', spacing(0, 0, 252)),
  style('Detail', spacing(20, 0), `${colour(GREY)}${size(8.5)}`, 'Item'),
  style('Amount', right, '', 'Item'),
  style('Sum', `${keepNext}${spacing(0, 0)}${right}`),
  style('Total', '<w:keepNext w:val="0"/>', `<w:b/>${colour(ACCENT)}${size(12)}`, 'Sum'),
  style('Notice', spacing(0, 0, 264), colour('8A3B12')),
  style('Gap', spacing(0, 0), size(10)),
  style('Footer', spacing(0, 0, 252), `${colour(GREY)}${size(7.5)}`),
];

const letterhead = table(
  [1040, 4160, 4324],
  [
    row([
      cell(1040, [p('Normal', [logoPicture(1, 576_000)], spacing(0, 0))], { align: 'center' }),
      cell(4160, [p('Title', [run('{{Seller.Name}}', size(15))], spacing(0, 0))], {
        align: 'center',
      }),
      cell(
        4324,
        [
          p('Letterhead', '{{Seller.Street}}, {{Seller.City}}', right),
          p('Letterhead', '{{Seller.Phone}} · {{Seller.Email}}', right),
          p('Letterhead', 'VAT ID {{Seller.VatId}}', right),
        ],
        { align: 'center' },
      ),
    ]),
  ],
);

const parties = table(
  [5924, 3600],
  [
    row([
      cell(5924, [
        p('Label', 'Bill to'),
        p('Normal', [bold('{{Buyer.Name}}')]),
        p('Normal', '{{#if Buyer.Contact}}{{Buyer.Contact}}{{/if}}'),
        p('Normal', '{{Buyer.Street}}'),
        p('Normal', '{{Buyer.City}}'),
        p('Normal', '{{Buyer.Country}}'),
      ]),
      cell(3600, [
        p('Label', 'Details'),
        p('Fact', [grey('Invoice date'), run('\t{{date Date "long"}}')]),
        p('Fact', [grey('Payment due'), run('\t{{date DueDate "long"}}')]),
        p('Fact', [grey('Your order'), run('\t{{Order}}')]),
        p('Fact', [grey('Your VAT ID'), run('\t{{Buyer.VatId}}')]),
      ]),
    ]),
  ],
);

const overdue = [
  p('Normal', '{{#if gt DaysOverdue 0}}'),
  table(
    [WIDTH],
    [
      row([
        cell(
          WIDTH,
          [
            p('Notice', [
              bold('Payment is {{DaysOverdue}} days overdue. '),
              run(
                'Please transfer the amount within a week. If your payment is on its way, thank you; this note needs no answer.',
              ),
            ]),
          ],
          { fill: 'FBF1E8', borders: { left: 'C8642B' }, thickness: 24 },
        ),
      ]),
    ],
    { above: 110, below: 110, beside: 170 },
  ),
  p('Gap'),
  p('Normal', '{{/if}}'),
];

const COLUMNS = [480, 4744, 1300, 1400, 1600];
const [NUMBER = 0, NAME = 0, QUANTITY = 0, PRICE = 0, AMOUNT = 0] = COLUMNS;
const heading = {
  borders: { bottom: ACCENT },
  thickness: 8,
  align: /** @type {const} */ ('bottom'),
};
const ruled = { borders: { bottom: RULE } };

const lines = [
  row(
    [
      cell(NUMBER, [p('Column', '')], heading),
      cell(NAME, [p('Column', 'Description')], heading),
      cell(QUANTITY, [p('ColumnRight', 'Quantity')], heading),
      cell(PRICE, [p('ColumnRight', 'Unit price')], heading),
      cell(AMOUNT, [p('ColumnRight', 'Amount')], heading),
    ],
    { heading: true },
  ),
  row([
    cell(NUMBER, [p('Item', [run('{{#each Lines}}'), grey('{{@number}}')])], ruled),
    cell(NAME, [p('Item', '{{Name}}'), p('Detail', '{{#if Detail}}{{Detail}}{{/if}}')], ruled),
    cell(QUANTITY, [p('Amount', '{{number Quantity}} {{Unit}}')], ruled),
    cell(PRICE, [p('Amount', '{{currency Price ../Currency}}')], ruled),
    cell(AMOUNT, [p('Amount', '{{currency Amount ../Currency}}{{/each}}')], ruled),
  ]),
];

/**
 * A row below the lines: what it is, and how much.
 * @param {string} styleId
 * @param {string} label
 * @param {string} amount
 * @param {import('./word.mjs').CellLooks} [looks]
 */
function sumRow(styleId, label, amount, looks = {}) {
  return row([
    cell(NUMBER + NAME, [p('Sum')], { span: 2 }),
    cell(QUANTITY + PRICE, [p(styleId, label)], { ...looks, span: 2 }),
    cell(AMOUNT, [p(styleId, amount)], looks),
  ]);
}

const sums = [
  sumRow('Sum', 'Net amount', '{{currency (sum Lines "Amount") Currency}}'),
  sumRow('Sum', 'VAT {{percent VatRate}}', '{{currency Vat Currency}}'),
  sumRow('Total', 'Total', '{{currency Total Currency}}', {
    borders: { top: ACCENT },
    thickness: 8,
  }),
];

const payment = table(
  [7200, 2324],
  [
    row([
      cell(
        7200,
        [
          p('Label', 'Payment'),
          p('Normal', [
            run('Please transfer '),
            bold('{{currency Total Currency}}'),
            run(
              ' {{#if gt DaysOverdue 0}}within a week{{else}}by {{date DueDate "long"}}{{/if}} to:',
            ),
          ]),
          p('Normal', '{{Seller.Name}}, {{Seller.Bank}}', spacing(80, 0, 264)),
          p('Normal', [
            grey('IBAN '),
            run('{{Seller.Iban}}'),
            grey('   BIC '),
            run('{{Seller.Bic}}'),
          ]),
          p('Normal', [grey('Reference '), bold('{{Number}}')]),
        ],
        { fill: TINT, align: 'center' },
      ),
      cell(
        2324,
        [
          p('Normal', '{{qr Payment.Code size=2.6cm}}', centre),
          p('Footer', 'Scan to pay', `${spacing(20, 0)}${centre}`),
        ],
        { fill: TINT, align: 'center' },
      ),
    ]),
  ],
  { above: 130, below: 130, beside: 200 },
);

const footer = table(
  [7400, 2124],
  [
    row([
      cell(7400, [
        p(
          'Footer',
          '{{Seller.Name}} · {{Seller.Street}} · {{Seller.City}} · {{Seller.Register}}',
          ruleAbove(RULE),
        ),
      ]),
      cell(2124, [p('Footer', pageOfPages, `${ruleAbove(RULE)}${right}`)]),
    ]),
  ],
);

export function invoice() {
  return docx({
    title: 'Invoice',
    font: 'Liberation Sans',
    styles: STYLES.join(''),
    firstHeader: letterhead + p('Gap', [], spacing(0, 620)),
    header: p('Letterhead', '{{Seller.Name}} · Invoice {{Number}}', right),
    footer: footer + p('Footer'),
    body: [
      parties,
      p('Gap', [], spacing(0, 360)),
      p('Title', 'Invoice {{Number}}'),
      p('Subtitle', '{{Subject}}'),
      ...overdue,
      table(COLUMNS, [...lines, ...sums], { above: 90, below: 90, beside: 60 }),
      p('Gap', [], spacing(0, 200)),
      payment,
      p('Normal', '{{#if Note}}{{Note}}{{/if}}', spacing(280, 0, 264)),
      p('Gap', [], spacing(0, 0)),
    ].join(''),
    margin: 1191,
    top: 1588,
    bottom: 1474,
  });
}
