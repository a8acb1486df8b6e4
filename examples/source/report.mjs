import { docx, ruleAbove } from './package.mjs';
import {
  ACCENT,
  GREY,
  RULE,
  TINT,
  cell,
  colour,
  keepNext,
  logoPicture,
  p,
  pageOfPages,
  right,
  row,
  size,
  spacing,
  style,
  table,
} from './word.mjs';

const WIDTH = 9638; // 17 cm between margins of 2 cm

const STYLES = [
  style('Normal', spacing(0, 120, 276)),
  style('Company', spacing(0, 0), `<w:b/>${colour(ACCENT)}${size(13)}`),
  style('Title', spacing(0, 60), `<w:b/>${colour(ACCENT)}${size(24)}`),
  style('Subtitle', spacing(0, 360), `${colour(GREY)}${size(11)}`),
  style('Heading 1', `${keepNext}${spacing(360, 140)}`, `<w:b/>${colour(ACCENT)}${size(14)}`),
  style('Figure', spacing(0, 0), `<w:b/>${colour(ACCENT)}${size(18)}`),
  style('Figure Name', spacing(0, 20), `${colour(GREY)}${size(8.5)}`),
  style('Column', `${keepNext}${spacing(0, 0)}`, `<w:b/>${colour(ACCENT)}${size(8.5)}`),
  style('Column Right', right, '', 'Column'),
  style('Cell', spacing(0, 0), size(9)),
  style('Cell Right', right, '', 'Cell'),
  style('Group', `${keepNext}${spacing(40, 40)}`, `<w:b/>${size(9.5)}`),
  style('Subtotal', `${keepNext}${spacing(40, 40)}${right}`, `<w:b/>${size(9)}`),
  style('Total', `${spacing(50, 50)}${right}`, `<w:b/>${colour('FFFFFF')}${size(10)}`),
  style('Letterhead', spacing(0, 0), `${colour(GREY)}${size(8.5)}`),
  style('Footer', spacing(0, 0), `${colour(GREY)}${size(8)}`),
];

const EDGE = { borders: { bottom: ACCENT }, thickness: 8 };
const RULED = { borders: { bottom: RULE } };

/**
 * A row of cells that look alike. What has no style of its own is to the right.
 * @param {readonly number[]} widths
 * @param {readonly (readonly [style: string, text: string])[]} texts
 * @param {import('./word.mjs').CellLooks} looks
 * @param {{ heading?: boolean }} [kind]
 */
function plainRow(widths, texts, looks, kind) {
  return row(
    texts.map(([name, text], index) => cell(widths[index] ?? 0, [p(name, text)], looks)),
    kind,
  );
}

const figures = table(
  [WIDTH],
  [
    row([
      cell(
        WIDTH,
        [
          p('FigureName', '{{#each Figures by=column}}{{Name}}'),
          p(
            'Figure',
            '{{#if eq Unit "money"}}{{currency Value @root.Currency decimals=0}}{{else}}{{number Value}}{{/if}}{{/each}}',
          ),
        ],
        { fill: TINT, borders: { right: 'FFFFFF' }, thickness: 48 },
      ),
    ]),
  ],
  { above: 140, below: 140, beside: 200 },
);

const SUMMARY = [2238, 2600, 1100, 1600, 1000, 1100];
const summary = table(
  SUMMARY,
  [
    plainRow(
      SUMMARY,
      [
        ['Column', 'Region'],
        ['Column', 'Manager'],
        ['ColumnRight', 'Orders'],
        ['ColumnRight', 'Revenue'],
        ['ColumnRight', 'Share'],
        ['ColumnRight', 'Change'],
      ],
      EDGE,
      { heading: true },
    ),
    plainRow(
      SUMMARY,
      [
        ['Cell', '{{#each Regions}}{{Name}}'],
        ['Cell', '{{Manager}}'],
        ['CellRight', '{{number Count}}'],
        ['CellRight', '{{currency Revenue ../Currency}}'],
        ['CellRight', '{{percent Share decimals=1}}'],
        ['CellRight', '{{#if gt Change 0}}+{{/if}}{{percent Change decimals=1}}{{/each}}'],
      ],
      RULED,
    ),
    plainRow(
      SUMMARY,
      [
        ['Group', 'All regions'],
        ['Cell', ''],
        ['Subtotal', '{{number (sum Regions "Count")}}'],
        ['Subtotal', '{{currency (sum Regions "Revenue") Currency}}'],
        ['Subtotal', '{{percent (sum Regions "Share") decimals=1}}'],
        ['Subtotal', ''],
      ],
      {},
    ),
  ],
  { above: 70, below: 70, beside: 60 },
);

const ORDERS = [1330, 1050, 2558, 2400, 950, 1350];
const [DATE = 0, NUMBER = 0, CUSTOMER = 0, PRODUCT = 0, QUANTITY = 0, AMOUNT = 0] = ORDERS;
const before = DATE + NUMBER + CUSTOMER;

/** A row that only holds a tag vanishes; the rows between such two are repeated. */
const tagRow = (/** @type {string} */ tag) =>
  row([cell(WIDTH, [p('Cell', tag)], { span: ORDERS.length })]);

const orders = table(
  ORDERS,
  [
    plainRow(
      ORDERS,
      [
        ['Column', 'Date'],
        ['Column', 'Order'],
        ['Column', 'Customer'],
        ['Column', 'Product'],
        ['ColumnRight', 'Quantity'],
        ['ColumnRight', 'Amount'],
      ],
      EDGE,
      { heading: true },
    ),
    tagRow('{{#each Regions}}'),
    row([
      cell(WIDTH, [p('Group', '{{Name}}')], {
        span: ORDERS.length,
        fill: TINT,
      }),
    ]),
    plainRow(
      ORDERS,
      [
        ['Cell', '{{#each Orders}}{{date Date}}'],
        ['Cell', '{{Number}}'],
        ['Cell', '{{Customer}}'],
        ['Cell', '{{Product}}'],
        ['CellRight', '{{number Quantity}}'],
        ['CellRight', '{{currency Amount @root.Currency}}{{/each}}'],
      ],
      RULED,
    ),
    row([
      cell(before, [p('Cell')], { span: 3 }),
      cell(PRODUCT, [p('Subtotal', 'Total {{Name}}')]),
      cell(QUANTITY, [p('Subtotal', '{{number (sum Orders "Quantity")}}')]),
      cell(AMOUNT, [p('Subtotal', '{{currency (sum Orders "Amount") @root.Currency}}')]),
    ]),
    tagRow('{{/each}}'),
    row([
      cell(before + PRODUCT, [p('Total', 'All regions')], { span: 4, fill: ACCENT }),
      cell(QUANTITY + AMOUNT, [p('Total', '{{currency (sum Regions "Revenue") Currency}}')], {
        span: 2,
        fill: ACCENT,
      }),
    ]),
  ],
  { above: 40, below: 40, beside: 60 },
);

const letterhead = table(
  [880, WIDTH - 880],
  [
    row([
      cell(880, [p('Company', [logoPicture(1, 468_000)])], { align: 'center' }),
      cell(WIDTH - 880, [p('Company', 'Aldermill Furniture')], { align: 'center' }),
    ]),
  ],
);

const footer = table(
  [7000, WIDTH - 7000],
  [
    row([
      cell(7000, [
        p(
          'Footer',
          'Made {{date Created "long" time="short"}} from the order book',
          ruleAbove(RULE),
        ),
      ]),
      cell(WIDTH - 7000, [p('Footer', pageOfPages, `${ruleAbove(RULE)}${right}`)]),
    ]),
  ],
);

export function report() {
  return docx({
    title: 'Sales report',
    font: 'Liberation Sans',
    styles: STYLES.join(''),
    firstHeader: letterhead + p('Normal', [], spacing(0, 360)),
    header: p('Letterhead', 'Aldermill Furniture · {{Title}}', right),
    footer: footer + p('Footer'),
    body: [
      p('Title', '{{Title}}'),
      p('Subtitle', 'Orders from {{date From "long"}} to {{date To "long"}}'),
      figures,
      p('Heading1', 'By region'),
      summary,
      p('Heading1', 'What stands out'),
      p('Normal', '{{html Comment}}'),
      p('Heading1', 'All orders', `<w:pageBreakBefore/>${spacing(0, 140)}`),
      orders,
      p('Footer'),
    ].join(''),
    margin: 1134,
    top: 1474,
    bottom: 1304,
  });
}
