// Writes DocgenLocales.cls from what Node knows of locales (CLDR). Run by hand, `npm run locales`: another
// Node may know other spaces or symbols, and an envelope's texts must not change without someone looking.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apexText, classFile, classFolder } from './lib/apex-source.mjs';

// A locale and its country's currency. The first of a language serves the countries that are not named.
const LOCALES =
  `en_US USD,en_GB GBP,en_AU AUD,en_CA CAD,en_IE EUR,en_IN INR,en_NZ NZD,en_SG SGD,en_ZA ZAR,
de_DE EUR,de_AT EUR,de_CH CHF,fr_FR EUR,fr_BE EUR,fr_CA CAD,fr_CH CHF,it_IT EUR,it_CH CHF,es_ES EUR,es_MX MXN,
es_AR ARS,es_CL CLP,es_CO COP,es_US USD,pt_PT EUR,pt_BR BRL,nl_NL EUR,nl_BE EUR,da_DK DKK,sv_SE SEK,nb_NO NOK,fi_FI EUR,
is_IS ISK,pl_PL PLN,cs_CZ CZK,sk_SK EUR,hu_HU HUF,ro_RO RON,bg_BG BGN,hr_HR EUR,sl_SI EUR,sr_RS RSD,el_GR EUR,et_EE EUR,
lv_LV EUR,lt_LT EUR,uk_UA UAH,tr_TR TRY,he_IL ILS,ja_JP JPY,ko_KR KRW,zh_CN CNY,zh_TW TWD,zh_HK HKD,
th_TH THB,vi_VN VND,id_ID IDR,ms_MY MYR,hi_IN INR`
    .split(',')
    .map((entry) => entry.trim().split(' '));

const MOMENT = new Date(Date.UTC(2026, 2, 4, 9, 5));

function pattern(parts, words) {
  return parts.map(({ type, value }) => words[type]?.(value) ?? value).join('');
}

function dates(tag, options) {
  const format = new Intl.DateTimeFormat(tag, {
    ...options,
    timeZone: 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
  });
  const twelve = format.resolvedOptions().hour12 === true;
  const written = pattern(format.formatToParts(MOMENT), {
    day: (value) => (value.length === 2 ? '{dd}' : '{d}'),
    month: (value) => (value.length === 2 ? '{MM}' : '{M}'),
    year: () => '{yyyy}',
    hour: (value) =>
      twelve ? (value.length === 2 ? '{hh}' : '{h}') : value.length === 2 ? '{HH}' : '{H}',
    minute: () => '{mm}',
    dayPeriod: () => '{a}',
  });
  return written.replaceAll('\u202f', ' '); // many fonts have no narrow space
}

function dayPeriod(tag, hour) {
  const parts = new Intl.DateTimeFormat(tag, {
    hour: 'numeric',
    hour12: true,
    timeZone: 'UTC',
  }).formatToParts(new Date(Date.UTC(2026, 0, 1, hour)));
  return parts.find(({ type }) => type === 'dayPeriod')?.value.replaceAll('\u202f', ' ') ?? '';
}

function numbers(tag, options, value) {
  const parts = new Intl.NumberFormat(tag, { numberingSystem: 'latn', ...options }).formatToParts(
    value,
  );
  return pattern(parts, {
    integer: () => '#',
    decimal: () => '',
    fraction: () => '',
    group: () => '',
    currency: () => '{c}',
  });
}

function row([name, currency]) {
  const tag = name.replace('_', '-');
  const plain = new Intl.NumberFormat(tag, { numberingSystem: 'latn' });
  const find = (value, type) =>
    plain.formatToParts(value).find((part) => part.type === type)?.value;
  const groups = plain.formatToParts(123_456_789_012).filter(({ type }) => type === 'integer');
  const own = new Intl.NumberFormat(tag, { style: 'currency', currency }).formatToParts(1);
  const money = { style: 'currency', currency };
  const values = [
    find(1.5, 'decimal'),
    find(1_234_567, 'group'),
    String(groups.at(-2).value.length), // 2 in India: 12,34,567
    find(1_234, 'group') === undefined ? '5' : '4', // digits from which on there are groups
    dates(tag, { dateStyle: 'short' }),
    dates(tag, { dateStyle: 'short', timeStyle: 'short' }),
    dates(tag, { timeStyle: 'short' }),
    dayPeriod(tag, 9),
    dayPeriod(tag, 15),
    numbers(tag, {}, -1),
    numbers(tag, money, 1),
    numbers(tag, money, -1),
    numbers(tag, { style: 'percent' }, 0.01),
    numbers(tag, { style: 'percent' }, -0.01),
    currency,
    own.find(({ type }) => type === 'currency').value,
  ];
  if (values.some((value) => value === undefined || value.includes('|')))
    throw new Error(`${name}: ${values.join(' ')}`);
  return `    ${apexText(name)} => ${apexText(values.join('|'))}`;
}

/** Symbols outside their own country, as far as they differ from the code. */
function symbols() {
  const all = Intl.supportedValuesOf('currency');
  return all.flatMap((code) => {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: code });
    const symbol = format.formatToParts(1).find(({ type }) => type === 'currency').value;
    return symbol === code ? [] : [`    ${apexText(code)} => ${apexText(symbol)}`];
  });
}

/** Currencies without a smaller unit that anybody writes. */
function wholeOnly() {
  return Intl.supportedValuesOf('currency').filter((currency) => {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    return maximumFractionDigits === 0;
  });
}

const source = `/**
 * How numbers, money and dates are written where. Made by scripts/locales.mjs from CLDR; do not edit by hand.
 * A row: decimal | group | size of the groups after the first | digits from which on there are groups | date |
 * date and time | time | before noon | after noon | negative | money | negative money | percent |
 * negative percent | currency of the country | its symbol there.
 */
public with sharing class DocgenLocales {
  public static final Map<String, String> ROWS = new Map<String, String>{
${LOCALES.map(row).join(',\n')}
  };

  /** The first locale of a language, for countries that have no row. */
  public static final Map<String, String> LANGUAGES = new Map<String, String>{
${[...new Map(LOCALES.toReversed().map(([name]) => [name.slice(0, 2), name]))]
  .toReversed()
  .map(([language, name]) => `    ${apexText(language)} => ${apexText(name)}`)
  .join(',\n')}
  };

  public static final Map<String, String> SYMBOLS = new Map<String, String>{
${symbols().join(',\n')}
  };

  public static final Set<String> WITHOUT_CENTS = new Set<String>{
${wholeOnly()
  .map((code) => `    ${apexText(code)}`)
  .join(',\n')}
  };
}
`;

writeFileSync(join(classFolder, 'DocgenLocales.cls'), await classFile(source));
