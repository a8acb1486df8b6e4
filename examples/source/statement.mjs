import { docx, ruleAbove } from './package.mjs';
import {
  ACCENT,
  GREY,
  RULE,
  bold,
  cell,
  colour,
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

const WIDTH = 9070; // 16 cm between margins of 2.5 cm

const STYLES = [
  style('Normal', spacing(0, 0, 276), size(11)),
  style('Body Text', spacing(0, 170, 288)),
  style('Company', spacing(0, 0), `<w:b/>${colour(ACCENT)}${size(16)}`),
  style('Letterhead', spacing(0, 0, 252), `${colour(GREY)}${size(9)}`),
  style('Subject', `${keepNext}${spacing(360, 240)}`, `<w:b/>${colour(ACCENT)}${size(13)}`),
  style('Closing', `${keepNext}${spacing(200, 0)}`),
  style('Term', spacing(0, 0), colour(GREY)),
  style('Footer', spacing(0, 0), `${colour(GREY)}${size(8.5)}`),
];

const letterhead = table(
  [1040, 4030, 4000],
  [
    row([
      cell(1040, [p('Normal', [logoPicture(1, 576_000)], spacing(0, 0))], { align: 'center' }),
      cell(4030, [p('Company', 'Aldermill Furniture')], { align: 'center' }),
      cell(
        4000,
        [
          p('Letterhead', 'Mühlgasse 12, 90403 Nürnberg', right),
          p('Letterhead', 'accounts@aldermill.example', right),
        ],
        { align: 'center' },
      ),
    ]),
  ],
);

/**
 * @param {string} name
 * @param {string} value
 */
function term(name, value) {
  const ruled = { borders: { bottom: RULE } };
  return row([
    cell(3200, [p('Term', name)], ruled),
    cell(WIDTH - 3200, [p('Normal', value, `${spacing(0, 0)}${right}`)], ruled),
  ]);
}

/** A letter for one row of the pipeline in pipelines/monthly-statements.yaml. */
export function statement() {
  return docx({
    title: 'Statement',
    font: 'Liberation Serif',
    styles: STYLES.join(''),
    firstHeader: letterhead + p('Normal', [], spacing(0, 680)),
    header: p('Letterhead', 'Aldermill Furniture · {{CustomerKey}}', right),
    footer: p('Footer', pageOfPages, `${ruleAbove(RULE)}${right}`),
    margin: 1418,
    top: 1418,
    bottom: 1134,
    body: [
      p('Normal', '{{FirstName}} {{LastName}}'),
      p('Normal', '{{EmailAddress}}'),
      p('Subject', 'Your orders of {{date Month "MMMM yyyy"}}'),
      p('BodyText', 'Dear {{FirstName}} {{LastName}},'),
      p('BodyText', [
        run(
          'thank you for your trust. Between {{date Month "long"}} and {{date Until "long"}} you ordered for ',
        ),
        bold('{{currency Total "EUR"}}'),
        run(' in all.'),
      ]),
      table(
        [3200, WIDTH - 3200],
        [
          term('Customer', '{{CustomerKey}}'),
          term('Orders', '{{Orders}}'),
          term('Total', '{{currency Total "EUR"}}'),
        ],
        { above: 100, below: 100, beside: 40 },
      ),
      p('BodyText', 'Nothing is left to do: what was to be paid is paid.', spacing(240, 170, 288)),
      p('Closing', 'Yours sincerely,'),
      p('Normal', [bold('Aldermill Furniture')], spacing(400, 0)),
    ].join(''),
  });
}
