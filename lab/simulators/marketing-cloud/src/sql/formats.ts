import { type Json, binary, call, literalText, number, text, untranslated } from './syntax.ts';
import { byType } from './witness.ts';

/** FORMAT(value, format, culture). The format shows the type of the value: those of numbers have no letters of dates. */
export function formatted(value: Json, format: Json | undefined, culture: Json | undefined): Json {
  const given = literalText(format);
  if (given === null || given === '') throw untranslated('That format of FORMAT');
  const isEnglish = culture === undefined || /^en\b/i.test(literalText(culture) ?? '');
  const asNumber = numberFormat(given, value);
  if (asNumber !== null) {
    if (!isEnglish) throw untranslated('FORMAT with that culture');
    return asNumber;
  }
  // Other cultures have names, and separators in place of / and :, of their own.
  if (!isEnglish && (given.length < 2 || /[/:]|MMM|ddd|tt/.test(given)))
    throw untranslated('FORMAT with that culture');
  const isAmerican = culture === undefined || /^en-us$/i.test(literalText(culture) ?? '');
  const whole = given.length === 1 && isAmerican ? STANDARD_DATES[given] : given;
  if (whole === undefined) throw untranslated(`The format ${given}`);
  return call('strftime', byType('mc_datetime', value), text(strftimeOf(whole)));
}

/** Formats of one letter, in American English. */
const STANDARD_DATES: Readonly<Record<string, string>> = {
  d: 'M/d/yyyy',
  D: 'dddd, MMMM d, yyyy',
  f: 'dddd, MMMM d, yyyy h:mm tt',
  F: 'dddd, MMMM d, yyyy h:mm:ss tt',
  g: 'M/d/yyyy h:mm tt',
  G: 'M/d/yyyy h:mm:ss tt',
  M: 'MMMM d',
  m: 'MMMM d',
  s: 'yyyy-MM-ddTHH:mm:ss',
  t: 'h:mm tt',
  T: 'h:mm:ss tt',
  Y: 'MMMM yyyy',
  y: 'MMMM yyyy',
};

/** .NET's letters for dates, the longest first, in the terms of strftime. */
const DATES: readonly (readonly [RegExp, string])[] = [
  [/^yyyy/, '%Y'],
  [/^yy/, '%y'],
  [/^MMMM/, '%B'],
  [/^MMM/, '%b'],
  [/^MM/, '%m'],
  [/^M/, '%-m'],
  [/^dddd/, '%A'],
  [/^ddd/, '%a'],
  [/^dd/, '%d'],
  [/^d/, '%-d'],
  [/^HH/, '%H'],
  [/^H/, '%-H'],
  [/^hh/, '%I'],
  [/^h/, '%-I'],
  [/^mm/, '%M'],
  [/^ss/, '%S'],
  [/^fff/, '%g'],
  [/^tt/, '%p'],
  [/^[ /.,:TZ_-]/, ''],
];

function strftimeOf(format: string): string {
  let rest = format;
  let translated = '';
  while (rest !== '') {
    const said = /^'([^'%]*)'|^\\([^%])/.exec(rest);
    const found = DATES.find(([letters]) => letters.test(rest));
    const taken = said?.[0] ?? found?.[0].exec(rest)?.[0];
    if (taken === undefined) throw untranslated(`The format ${format}`);
    translated += said === null ? found?.[1] || taken : (said[1] ?? said[2] ?? '');
    rest = rest.slice(taken.length);
  }
  return translated;
}

/** `N2`, `C`, `P1`, `F3`, `D5`, `#,##0.00`, `000`, `(###) ###`. Null: that is no format of numbers. */
function numberFormat(format: string, value: Json): Json | null {
  const standard = /^([NFPC])(\d{0,2})$/i.exec(format) ?? /^(D)(\d{1,2})$/i.exec(format);
  if (standard !== null) {
    const [, letter = '', digits = ''] = standard;
    const places = digits === '' ? 2 : Number(digits);
    return call(`mc_format_${letter.toLowerCase()}`, asDouble(value), number(places));
  }
  const custom = /^([#0,]*)(?:\.(0*)(#*))?(%?)$/.exec(format);
  if (custom !== null && /[#0]/.test(format)) {
    const [, whole = '', fixed = '', free = '', percent] = custom;
    const zeros = whole.replaceAll(/[#,]/g, '').length;
    const amount = percent === '%' ? binary('mul', asDouble(value), number(100)) : asDouble(value);
    const written = call(
      whole.includes(',') ? 'mc_format_grouped' : 'mc_format_plain',
      amount,
      number(zeros),
      number(fixed.length),
      number(fixed.length + free.length),
    );
    return percent === '%' ? call('concat', written, text('%')) : written;
  }
  return /^[^0.,%a-z]*#[^0.,%a-z]*$/i.test(format) ? masked(format, value) : null;
}

/** A phone number and its like: the digits from the right, the first places take all that are left. */
function masked(mask: string, value: Json): Json {
  const parts = mask.match(/#+|[^#]+/g) ?? [];
  const digits = call('mc_digits', asDouble(value));
  const first = parts.findIndex((part) => part.startsWith('#'));
  const written = parts.map((part, place) => {
    if (!part.startsWith('#')) return text(part);
    const right = parts
      .slice(place + 1)
      .filter((other) => other.startsWith('#'))
      .join('').length;
    const most = place === first ? 40 : part.length;
    return call('mc_places', digits, number(right), number(most));
  });
  return call('concat', ...written);
}

const asDouble = (value: Json): Json => byType('mc_float', value);
