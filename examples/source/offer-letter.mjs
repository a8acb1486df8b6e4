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
  style('Heading 1', `${keepNext}${spacing(0, 200)}`, `<w:b/>${colour(ACCENT)}${size(16)}`),
  style('List Bullet', `<w:numPr><w:numId w:val="1"/></w:numPr>${spacing(0, 60, 276)}`),
  style('Closing', `${keepNext}${spacing(200, 0)}`),
  style('Term', spacing(0, 0), colour(GREY)),
  style('Line', `${ruleAbove(GREY)}${spacing(900, 0)}`, `${colour(GREY)}${size(9)}`),
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
          p('Letterhead', '+49 911 555 0140', right),
          p('Letterhead', 'people@aldermill.example', right),
        ],
        { align: 'center' },
      ),
    ]),
  ],
);

const letter = [
  p('Normal', '{{Candidate.Name}}'),
  p('Normal', '{{Candidate.Street}}'),
  p('Normal', '{{Candidate.City}}'),
  p('Normal', 'Nürnberg, {{date Date "long"}}', `${spacing(360, 0)}${right}`),
  p('Subject', 'Your position as {{Position}}'),
  p('BodyText', 'Dear {{Candidate.Name}},'),
  p('BodyText', [
    run(
      'We enjoyed our talks with you, and everyone who met you hopes to work with you. We are glad to offer you the position of ',
    ),
    bold('{{Position}}'),
    run(' in our team {{Team}}. Your first day is {{date StartDate "long"}}.'),
  ]),
  p('Normal', '{{#if lt HoursPerWeek 38}}'),
  p(
    'BodyText',
    'As you wished, it is a part-time position of {{HoursPerWeek}} hours a week. You choose the days together with your team, and may go up to full time with three months’ notice. The salary on the next page is the one for your hours.',
  ),
  p('Normal', '{{else}}'),
  p('BodyText', 'It is a full-time position of {{HoursPerWeek}} hours a week.'),
  p('Normal', '{{/if}}'),
  p('Normal', '{{#if eq Workplace "remote"}}'),
  p(
    'BodyText',
    'You work from home. We send you a desk, a chair and a screen before your first day, and pay your way to the four weeks of the year in which we all meet in the workshop.',
  ),
  p('Normal', '{{else}}'),
  p(
    'BodyText',
    'Your place is in our workshop by the river, ten minutes on foot from the main station. There is room for your bicycle, and a kitchen with a long table where we have lunch together.',
  ),
  p('Normal', '{{/if}}'),
  p('Normal', '{{#if Benefits}}'),
  p('BodyText', 'Beside your salary, you get:', `${keepNext}${spacing(0, 80, 288)}`),
  p('ListBullet', '{{#each Benefits}}{{this}}{{/each}}'),
  p('Normal', '{{/if}}'),
  p(
    'BodyText',
    'Our offer stands until {{date AnswerBy "full"}}. To accept it, sign the next page and send it back; a photo is enough. For questions, call {{Manager.Name}} at {{Manager.Phone}}.',
    spacing(170, 170, 288),
  ),
  p('Closing', 'Yours sincerely,'),
  p('Normal', '{{#if Signature}}', keepNext),
  p('Normal', '{{image Signature width=4.6cm alt="Signature"}}', `${keepNext}${spacing(60, 0)}`),
  p('Normal', '{{else}}', keepNext),
  p('Normal', '', `${keepNext}${spacing(0, 700)}`), // room to sign by hand
  p('Normal', '{{/if}}', keepNext),
  p('Normal', [bold('{{Sender.Name}}')], keepNext),
  p('Normal', '{{Sender.Title}}'),
];

/**
 * @param {string} name
 * @param {string} value
 */
function term(name, value) {
  const ruled = { borders: { bottom: RULE } };
  return row([
    cell(3200, [p('Term', name)], ruled),
    cell(WIDTH - 3200, [p('Normal', value, spacing(0, 0))], ruled),
  ]);
}

const terms = table(
  [3200, WIDTH - 3200],
  [
    term('Position', '{{Position}}, {{Team}}'),
    term('First day', '{{date StartDate "full"}}'),
    term(
      'Hours',
      '{{HoursPerWeek}} a week{{#if lt HoursPerWeek 38}} (part-time, {{percent Share}}){{/if}}',
    ),
    term('Place', '{{#if eq Workplace "remote"}}At home{{else}}Mühlgasse 12, Nürnberg{{/if}}'),
    term('Salary', '{{currency Salary Currency decimals=0}} a year, before tax, in twelve parts'),
    term('Leave', '{{LeaveDays}} days a year'),
    term('Trial period', '{{TrialMonths}} months'),
    term('You report to', '{{Manager.Name}}'),
  ],
  { above: 100, below: 100, beside: 40 },
);

const [HALF, BETWEEN] = [4250, 570];
const acceptance = [
  p('Heading1', 'I accept', spacing(640, 160)),
  p(
    'BodyText',
    'I accept the offer of Aldermill Furniture of {{date Date "long"}} under the terms above.',
    keepNext,
  ),
  table(
    [HALF, BETWEEN, HALF],
    [
      row([
        cell(HALF, [p('Line', 'Place and date')]),
        cell(BETWEEN, [p('Normal')]),
        cell(HALF, [p('Line', '{{Candidate.Name}}')]),
      ]),
    ],
  ),
  p('Normal'),
];

export function offerLetter() {
  return docx({
    title: 'Offer letter',
    font: 'Liberation Serif',
    styles: STYLES.join(''),
    firstHeader: letterhead + p('Normal', [], spacing(0, 680)),
    header: p('Letterhead', 'Aldermill Furniture · Offer to {{Candidate.Name}}', right),
    footer: p('Footer', pageOfPages, `${ruleAbove(RULE)}${right}`),
    body: [
      ...letter,
      p('Heading1', 'Your offer at a glance', '<w:pageBreakBefore/>'),
      terms,
      ...acceptance,
    ].join(''),
    margin: 1418,
    top: 1701,
    bottom: 1361,
  });
}
