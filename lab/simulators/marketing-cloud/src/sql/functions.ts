import { castTo } from './casts.ts';
import {
  call,
  inside,
  type Json,
  literalText,
  nameIn,
  text,
  textIn,
  type Tree,
  untranslated,
} from './syntax.ts';
import { formatted } from './formats.ts';
import { byType } from './witness.ts';
import { QueryError } from './run-sql.ts';

type Translate = (args: readonly Json[], now: string) => Json;

const asText = (json: Json): Json => byType('mc_text', json);
const asDate = (json: Json): Json => byType('mc_datetime', json);
const asIs = (json: Json): Json => json;

/**
 * The same under another name: a macro of ours (macros.ts), or a function of DuckDB that does just that. Each argument is made
 * what the function takes, as T-SQL does by itself.
 */
const as =
  (name: string, ...takes: readonly ((json: Json) => Json)[]): Translate =>
  (args) =>
    call(name, ...args.map((arg, place) => (takes[place] ?? asIs)(arg)));

/** By name, in T-SQL. What is not here is refused: DuckDB may have it under that name, and mean something else. */
const FUNCTIONS: Readonly<Record<string, Translate>> = {
  ISNULL: as('coalesce'),
  NULLIF: as('nullif'),
  GETDATE: (_, now) => moment(now),
  SYSDATETIME: (_, now) => moment(now),
  CURRENT_TIMESTAMP: (_, now) => moment(now),
  GETUTCDATE: (_, now) => call('mc_utc', moment(now)),
  SYSDATETIMEOFFSET: (_, now) => moment(now),
  SYSUTCDATETIME: (_, now) => call('mc_utc', moment(now)),
  CONVERT: ([type, value, style]) => castTo(required(value), dataType(type), style, false),
  TRY_CONVERT: ([type, value, style]) => castTo(required(value), dataType(type), style, true),
  DATEADD: ([unit, amount, date]) =>
    call(`mc_dateadd_${unitOf(unit)}`, required(amount), asDate(required(date))),
  DATEDIFF: ([unit, from, to]) =>
    call(`mc_datediff_${unitOf(unit)}`, asDate(required(from)), asDate(required(to))),
  DATEDIFF_BIG: ([unit, from, to]) =>
    call('date_diff', text(unitOf(unit)), asDate(required(from)), asDate(required(to))),
  DATE_PART: ([unit, date]) => call(`mc_datepart_${unitOf(unit)}`, asDate(required(date))),
  DATENAME: ([unit, date]) => call(`mc_datename_${unitOf(unit)}`, asDate(required(date))),
  DATEFROMPARTS: as('make_date'),
  DATETIMEFROMPARTS: as('mc_datetimefromparts'),
  EOMONTH: as('mc_eomonth', asDate),
  LEFT: as('mc_left', asText),
  RIGHT: as('mc_right', asText),
  CHARINDEX: as('mc_charindex', asText, asText),
  REPLACE: as('mc_replace', asText, asText, asText),
  STUFF: as('mc_stuff', asText, asIs, asIs, asText),
  LTRIM: as('mc_ltrim', asText),
  RTRIM: as('mc_rtrim', asText),
  REVERSE: as('reverse', asText),
  REPLICATE: as('mc_replicate', asText),
  SPACE: ([length]) => call('mc_replicate', text(' '), required(length)),
  CHAR: as('chr'),
  ASCII: as('ascii'),
  CONCAT: (args) => call('concat', ...args.map(asText)),
  CONCAT_WS: (args) => call('concat_ws', ...args.map(asText)),
  FORMAT: ([value, format, culture]) => formatted(required(value), format, culture),
  PATINDEX: ([pattern, value]) => patternIndex(pattern, required(value)),
  UNICODE: as('unicode', asText),
  NCHAR: as('chr'),
  QUOTENAME: as('mc_quotename', asText),
  TRANSLATE: as('translate', asText, asText, asText),
  CHOOSE: ([place, ...values]) =>
    call('list_extract', call('list_value', ...values), required(place)),
  CHECKSUM: (args) => call('mc_checksum', call('concat', ...args.map(asText))),
  ISJSON: as('mc_isjson', asText),
  ROLLUP: as('rollup'),
  CUBE: as('cube'),
  'GROUPING SETS': as('grouping sets'),
  GROUPING: as('grouping'),
  ISNUMERIC: as('mc_isnumeric', asText),
  ISDATE: ([value]) => byType('mc_isdate', required(value)),
  ROUND: as('mc_round'),
  POWER: as('power'),
  SIGN: as('sign'),
  LOG10: as('log10'),
  SQUARE: as('mc_square'),
  COUNT_BIG: as('count'),
  NEWID: () => call('mc_newid'),
  HASHBYTES: ([algorithm, value]) => call(hashOf(algorithm), asText(required(value))),
  STDEV: as('stddev_samp'),
  STDEVP: as('stddev_pop'),
  VAR: as('var_samp'),
  VARP: as('var_pop'),
};

export function translateFunction(node: Tree, now: string): Json {
  const name = (textIn(node, 'name') ?? '').toUpperCase();
  const args = Array.isArray(node['args']) ? (node['args'] as readonly Json[]) : [];
  const translate = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (translate === undefined) throw untranslated(`The function ${name}`);
  return translate(args, now);
}

function required(json: Json | undefined): Json {
  if (json === undefined) throw new QueryError('A function has too few arguments.');
  return json;
}

const moment = (now: string): Tree => call('mc_datetime', text(now));

const dataType = (json: Json | undefined): Tree | undefined =>
  inside(json, 'data_type') ?? undefined;

/** "Datepart" of DATEADD, DATEDIFF and DATEPART, with its abbreviations. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  year: ['YEAR', 'YY', 'YYYY'],
  quarter: ['QUARTER', 'QQ', 'Q'],
  month: ['MONTH', 'MM', 'M'],
  dayofyear: ['DAYOFYEAR', 'DY', 'Y', 'DOY'],
  day: ['DAY', 'DD', 'D'],
  week: ['WEEK', 'WK', 'WW'],
  isoweek: ['ISO_WEEK', 'ISOWK', 'ISOWW', 'WEEKISO'],
  weekday: ['WEEKDAY', 'DW', 'W', 'DAYOFWEEK'],
  hour: ['HOUR', 'HH'],
  minute: ['MINUTE', 'MI', 'N'],
  second: ['SECOND', 'SS', 'S'],
  millisecond: ['MILLISECOND', 'MS'],
};

function unitOf(json: Json | undefined): string {
  const column = inside(json, 'column');
  const given = (
    textIn(inside(json, 'var') ?? null, 'this') ??
    nameIn(column?.['name']) ??
    ''
  ).toUpperCase();
  const found = Object.entries(UNITS).find(([, names]) => names.includes(given));
  if (found === undefined) throw untranslated(`The part ${given || '?'} of a date`);
  return found[0];
}

/** Where a pattern of LIKE is found in a text, from 1; 0: nowhere. */
function patternIndex(pattern: Json | undefined, value: Json): Json {
  const given = literalText(pattern);
  if (given === null) throw untranslated('PATINDEX with a pattern that is no literal');
  const [, before = '', middle = '', after = ''] = /^(%*)(.*?)(%*)$/s.exec(given) ?? [];
  const searched = likeRegex(middle).replace(/^\(\?is\)/, '');
  const regex = `(?is)^(${before === '' ? '' : '.*?'})${searched}${after === '' ? '$' : ''}`;
  return call('mc_patindex', asText(value), text(regex));
}

const HASHES: Readonly<Record<string, string>> = {
  MD5: 'mc_md5',
  SHA1: 'mc_sha1',
  SHA2_256: 'mc_sha256',
};

function hashOf(json: Json | undefined): string {
  const name = (literalText(json) ?? '').toUpperCase();
  const hash = HASHES[name];
  if (hash === undefined) throw untranslated(`The hash ${name}`);
  return hash;
}

/** A pattern of T-SQL's LIKE as a regular expression of DuckDB (RE2), without regard to case. */
export function likeRegex(pattern: string, escape = ''): string {
  let regex = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? '';
    const set = letter === '[' ? /^\[(\^?)([^\]]+)\]/.exec(pattern.slice(at)) : null;
    if (escape !== '' && letter === escape && at + 1 < pattern.length) {
      at += 1;
      regex += escaped(pattern[at] ?? '');
    } else if (set !== null) {
      const [whole, not = '', letters = ''] = set;
      regex += `[${not}${letters.replaceAll(/[\\[\]^]/g, String.raw`\$&`)}]`;
      at += whole.length - 1;
    } else if (letter === '%') regex += '.*';
    else if (letter === '_') regex += '.';
    else regex += escaped(letter);
  }
  return `(?is)${regex}`;
}

function escaped(letter: string): string {
  return letter.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
