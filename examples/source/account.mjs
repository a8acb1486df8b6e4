import { docx, ruleAbove } from './package.mjs';
import {
  ACCENT,
  GREY,
  RULE,
  cell,
  colour,
  keepNext,
  p,
  pageOfPages,
  right,
  row,
  size,
  spacing,
  style,
  table,
} from './word.mjs';

const WIDTH = 9070; // 16 cm between margins of 2.5 cm

const STYLES = [
  style('Normal', spacing(0, 0, 276), size(11)),
  style('Title', spacing(0, 200), `<w:b/>${colour(ACCENT)}${size(18)}`),
  style('Heading 1', `${keepNext}${spacing(300, 120)}`, `<w:b/>${colour(ACCENT)}${size(13)}`),
  style('Footer', spacing(0, 0), `${colour(GREY)}${size(8.5)}`),
];

const ruled = { borders: { bottom: RULE } };

/** The first document from Salesforce (docs/salesforce.md): an account and its contacts, by the field list given there. */
export function account() {
  return docx({
    title: 'Account overview',
    font: 'Liberation Sans',
    styles: STYLES.join(''),
    firstHeader: p('Normal', []),
    header: p('Footer', '{{Name}}', right),
    footer: p('Footer', pageOfPages, `${ruleAbove(RULE)}${right}`),
    margin: 1418,
    top: 1418,
    bottom: 1134,
    body: [
      p('Title', '{{Name}}'),
      p('Normal', 'Looked after by {{Owner.Name}}'),
      p('Heading1', 'Contacts'),
      table(
        [4535, WIDTH - 4535],
        [
          row([
            cell(4535, [p('Normal', '{{#each Contacts}}{{Name}}')], ruled),
            cell(WIDTH - 4535, [p('Normal', '{{Email}}{{/each}}')], ruled),
          ]),
        ],
        { above: 60, below: 60, beside: 40 },
      ),
    ].join(''),
  });
}
