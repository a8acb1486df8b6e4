import {
  type Json,
  call,
  isTree,
  literalNumber,
  number,
  text,
  textIn,
  untranslated,
} from './syntax.ts';
import { byType, byTypeWith } from './witness.ts';

/** A type that CAST and CONVERT name, as far as it is translated. */
interface CastType {
  readonly name: string;
  readonly length: number | null;
}

const LONG = 8000;
/** CAST(… AS VARCHAR) without a length. */
const USUAL_LENGTH = 30;

function typeOf(json: Json | undefined): CastType {
  const given = textIn(json, 'data_type') ?? '';
  const name = given === 'custom' ? (textIn(json, 'name') ?? '').toLowerCase() : given;
  const max = /^n?(var)?char\(max\)$/.exec(name);
  if (max !== null) return { name: 'var_char', length: LONG };
  const custom = /^(n?(?:var)?char)\((\d+)\)$/.exec(name);
  if (custom !== null) return { name: 'var_char', length: Number(custom[2]) };
  const length = isTree(json) && typeof json['length'] === 'number' ? json['length'] : null;
  return { name, length };
}

/** How CONVERT writes dates, by style: "CAST and CONVERT (Transact-SQL)", in the terms of strftime. */
const STYLES: Readonly<Record<number, string>> = {
  101: '%m/%d/%Y',
  3: '%d/%m/%y',
  103: '%d/%m/%Y',
  4: '%d.%m.%y',
  104: '%d.%m.%Y',
  5: '%d-%m-%y',
  105: '%d-%m-%Y',
  6: '%d %b %y',
  106: '%d %b %Y',
  7: '%b %d, %y',
  107: '%b %d, %Y',
  102: '%Y.%m.%d',
  8: '%H:%M:%S',
  108: '%H:%M:%S',
  24: '%H:%M:%S',
  9: '%b %-d %Y %-I:%M:%S:%g%p',
  109: '%b %-d %Y %-I:%M:%S:%g%p',
  13: '%d %b %Y %H:%M:%S:%g',
  113: '%d %b %Y %H:%M:%S:%g',
  14: '%H:%M:%S:%g',
  114: '%H:%M:%S:%g',
  25: '%Y-%m-%d %H:%M:%S.%g',
  10: '%m-%d-%y',
  110: '%m-%d-%Y',
  11: '%y/%m/%d',
  111: '%Y/%m/%d',
  12: '%y%m%d',
  112: '%Y%m%d',
  20: '%Y-%m-%d %H:%M:%S',
  120: '%Y-%m-%d %H:%M:%S',
  21: '%Y-%m-%d %H:%M:%S.%g',
  121: '%Y-%m-%d %H:%M:%S.%g',
  23: '%Y-%m-%d',
  126: '%Y-%m-%dT%H:%M:%S.%g',
  127: '%Y-%m-%dT%H:%M:%S.%g',
};

/** The macro that converts to each type that is no text (macros.ts). */
const CONVERSIONS: Readonly<Record<string, string>> = {
  int: 'mc_int',
  big_int: 'mc_bigint',
  small_int: 'mc_int',
  tiny_int: 'mc_int',
  bit: 'mc_bit',
  date: 'mc_datetime',
  datetime: 'mc_datetime',
  datetime2: 'mc_datetime',
  smalldatetime: 'mc_datetime',
  timestamp: 'mc_datetime',
  datetimeoffset: 'mc_datetime',
  time: 'mc_time',
  float: 'mc_float',
  double: 'mc_float',
  real: 'mc_float',
};

/** CAST(value AS type), CONVERT(type, value, style). What cannot be converted is an error, or NULL where it is a TRY_. */
export function castTo(
  value: Json,
  type: Json | undefined,
  style: Json | undefined,
  isTry: boolean,
): Json {
  const { name, length } = typeOf(type);
  const begin = isTry ? 'mc_try' : 'mc';
  if (['var_char', 'char', 'nvarchar', 'nchar', 'text', 'varchar'].includes(name)) {
    return call('left', textOf(value, style), number(length ?? USUAL_LENGTH));
  }
  if (name === 'uniqueidentifier') return call(`${begin}_guid`, byType('mc_text', value));
  const money = MONEY[name];
  if ((name === 'decimal' || money !== undefined) && isTree(type)) {
    const given = typeof type['precision'] === 'number' ? type['precision'] : 18;
    const precision = money ?? given;
    const scale = money !== undefined ? 4 : typeof type['scale'] === 'number' ? type['scale'] : 0;
    const to = { data_type: 'decimal', precision, scale };
    const kind = isTry ? 'try_cast' : 'cast';
    return {
      [kind]: {
        this: value,
        to,
        trailing_comments: [],
        double_colon_syntax: false,
        format: null,
        default: null,
      },
    };
  }
  const macro = CONVERSIONS[name];
  if (macro === undefined)
    throw untranslated(`A conversion to ${name === '' ? 'that type' : name.toUpperCase()}`);
  const format = style === undefined || macro !== 'mc_datetime' ? null : readingOf(style);
  const converted =
    format === null
      ? byType(macro.replace(/^mc/, begin), value)
      : byTypeWith(`${begin}_datetime_styled`, value, text(format));
  return name === 'date' ? call('mc_day', converted) : converted;
}

/** Without one of these styles texts are read as ISO or American dates. */
function readingOf(style: Json): string | null {
  const code = literalNumber(style);
  if ([0, 20, 120, 21, 121, 23, 126, 127].includes(code ?? -1)) return null;
  const format = code === null || !DATES_ALONE.includes(code) ? undefined : STYLES[code];
  if (format === undefined) throw untranslated(`The style ${code ?? '?'} for reading a date`);
  return format;
}

const DATES_ALONE = [101, 102, 103, 104, 105, 106, 107, 110, 111, 112];
const MONEY: Readonly<Record<string, number>> = { money: 19, smallmoney: 10 };

function textOf(value: Json, style: Json | undefined): Json {
  const code = style === undefined ? 0 : literalNumber(style);
  if (code === 0 || code === 100) return byType('mc_text', value);
  if (code === 1 || code === 2) return byType(`mc_text_${code}`, value);
  const format = code === null ? undefined : STYLES[code];
  if (format === undefined) throw untranslated(`The style ${code ?? '?'} of CONVERT`);
  return byTypeWith('mc_text_styled', value, text(format));
}
