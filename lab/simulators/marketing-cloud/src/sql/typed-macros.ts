/** The parameters of one form, each with its type or none, and what it does with them. */
type Form = readonly [parameters: string, body: string];

const failed = (type: string): string =>
  `error('Conversion failed when converting the varchar value ''' || a || ''' to data type ${type}.')`;

const AMERICAN = [
  '%m/%d/%Y',
  '%m/%d/%Y %H:%M',
  '%m/%d/%Y %H:%M:%S',
  '%m/%d/%Y %I:%M:%S %p',
  '%m/%d/%Y %I:%M %p',
  '%Y%m%d',
  '%b %d %Y',
];

/** Dates: ISO, or American with slashes. An empty text is 1 January 1900, as it is in SQL Server. */
const READ_DATE = `CASE WHEN trim(a) = '' THEN TIMESTAMP '1900-01-01'
  ELSE coalesce(TRY_CAST(a AS TIMESTAMP), try_strptime(a, [${AMERICAN.map((format) => `'${format}'`).join(', ')}])) END`;

/** A date in the form that a style of CONVERT says, with a time or without. */
const READ_STYLED = `coalesce(try_strptime(a, style), try_strptime(a, style || ' %H:%M'), try_strptime(a, style || ' %H:%M:%S'), try_strptime(a, style || ' %I:%M:%S %p'))`;

/** A text with a fraction is no whole number; a number loses its fraction. */
const readWhole = (type: string): string =>
  `CASE WHEN trim(a) = '' THEN 0 WHEN regexp_full_match(trim(a), '[+-]?[0-9]+') THEN TRY_CAST(a AS ${type}) END`;

const FLOAT_OF_MOMENT = "date_diff('millisecond', TIMESTAMP '1900-01-01', a) / 86400000.0";

function whole(name: string, type: string): Record<string, readonly Form[]> {
  const read = readWhole(type);
  // After noon it is the next day.
  const days = `CAST(round(${FLOAT_OF_MOMENT}) AS ${type})`;
  return {
    [`mc_try_${name}`]: [
      ['a VARCHAR', read],
      ['a BOOLEAN', `CAST(a AS ${type})`],
      ['a TIMESTAMP', days],
      ['a DATE', days],
      ['a', `TRY_CAST(trunc(a) AS ${type})`],
    ],
    [`mc_${name}`]: [
      [
        'a VARCHAR',
        `CASE WHEN a IS NOT NULL AND ${read} IS NULL THEN ${failed(name)} ELSE ${read} END`,
      ],
      ['a BOOLEAN', `CAST(a AS ${type})`],
      ['a TIMESTAMP', days],
      ['a DATE', days],
      ['a', `CAST(trunc(a) AS ${type})`],
    ],
  };
}

/**
 * Macros that have a form for each type: DuckDB chooses by the types of the arguments, so that `+` and CAST do what T-SQL
 * does with texts, dates and numbers. The form without types is for the rest; there are two with types at the least,
 * so that DuckDB refuses to choose where it does not know the type, instead of guessing.
 */
const FORMS: Readonly<Record<string, readonly Form[]>> = {
  mc_try_datetime: [
    ['a TIMESTAMP', 'a'],
    ['a DATE', 'CAST(a AS TIMESTAMP)'],
    ['a TIME', "DATE '1900-01-01' + a"],
    // Days since 1900, as DATEADD(month, DATEDIFF(month, 0, d), 0) has them.
    ['a INTEGER', "TIMESTAMP '1900-01-01' + to_days(CAST(a AS INTEGER))"],
    ['a VARCHAR', READ_DATE],
  ],
  mc_datetime: [
    ['a TIMESTAMP', 'a'],
    ['a DATE', 'CAST(a AS TIMESTAMP)'],
    ['a TIME', "DATE '1900-01-01' + a"],
    // Days since 1900, as DATEADD(month, DATEDIFF(month, 0, d), 0) has them.
    ['a INTEGER', "TIMESTAMP '1900-01-01' + to_days(CAST(a AS INTEGER))"],
    [
      'a VARCHAR',
      `CASE WHEN a IS NOT NULL AND ${READ_DATE} IS NULL
       THEN error('Conversion failed when converting date and/or time from character string.') ELSE ${READ_DATE} END`,
    ],
  ],
  mc_isdate: [
    ['a VARCHAR', `CASE WHEN trim(a) = '' OR ${READ_DATE} IS NULL THEN 0 ELSE 1 END`],
    ['a TIMESTAMP', 'CASE WHEN a IS NULL THEN 0 ELSE 1 END'],
  ],
  mc_datetime_styled: [
    ['a TIMESTAMP, style', 'a'],
    ['a DATE, style', 'CAST(a AS TIMESTAMP)'],
    [
      'a VARCHAR, style',
      `CASE WHEN a IS NOT NULL AND ${READ_STYLED} IS NULL
       THEN error('Conversion failed when converting date and/or time from character string.') ELSE ${READ_STYLED} END`,
    ],
  ],
  mc_try_datetime_styled: [
    ['a TIMESTAMP, style', 'a'],
    ['a DATE, style', 'CAST(a AS TIMESTAMP)'],
    ['a VARCHAR, style', READ_STYLED],
  ],
  mc_time: [
    ['a TIMESTAMP', 'CAST(a AS TIME)'],
    ['a DATE', "TIME '00:00:00'"],
    ['a TIME', 'a'],
    ['a VARCHAR', 'CAST(a AS TIME)'],
  ],
  mc_try_time: [
    ['a TIMESTAMP', 'CAST(a AS TIME)'],
    ['a DATE', "TIME '00:00:00'"],
    ['a TIME', 'a'],
    ['a VARCHAR', 'TRY_CAST(a AS TIME)'],
  ],
  mc_text: [
    ['a VARCHAR', 'a'],
    [
      'a TIMESTAMP',
      "strftime(a, '%b ') || lpad(strftime(a, '%-d'), 2, ' ') || strftime(a, ' %Y ') || lpad(strftime(a, '%-I:%M%p'), 7, ' ')",
    ],
    ['a DATE', "strftime(a, '%Y-%m-%d')"],
    ['a BOOLEAN', "CASE a WHEN true THEN '1' WHEN false THEN '0' END"],
    ['a', 'CAST(a AS VARCHAR)'],
  ],
  mc_text_styled: [
    ['a VARCHAR, style', 'a'],
    ['a TIMESTAMP, style', 'strftime(a, style)'],
    ['a DATE, style', 'strftime(a, style)'],
    ['a, style', 'CAST(a AS VARCHAR)'],
  ],
  // Styles 1 and 2 write bytes as hexadecimal, and dates with two digits for the year.
  mc_text_1: [
    ['a BLOB', "'0x' || hex(a)"],
    ['a TIMESTAMP', "strftime(a, '%m/%d/%y')"],
    ['a DATE', "strftime(a, '%m/%d/%y')"],
    ['a VARCHAR', 'a'],
  ],
  mc_text_2: [
    ['a BLOB', 'hex(a)'],
    ['a TIMESTAMP', "strftime(a, '%y.%m.%d')"],
    ['a DATE', "strftime(a, '%y.%m.%d')"],
    ['a VARCHAR', 'a'],
  ],
  mc_fold: [
    ['a VARCHAR', 'lower(a)'],
    ['a BOOLEAN', 'a'],
    ['a', 'a'],
  ],
  // A moment is the days since 1900, an empty text is 0.
  mc_float: [
    ['a TIMESTAMP', FLOAT_OF_MOMENT],
    ['a DATE', FLOAT_OF_MOMENT],
    ['a VARCHAR', "CASE WHEN trim(a) = '' THEN 0 ELSE CAST(a AS DOUBLE) END"],
    ['a', 'CAST(a AS DOUBLE)'],
  ],
  mc_try_float: [
    ['a TIMESTAMP', FLOAT_OF_MOMENT],
    ['a DATE', FLOAT_OF_MOMENT],
    ['a VARCHAR', "CASE WHEN trim(a) = '' THEN 0 ELSE TRY_CAST(a AS DOUBLE) END"],
    ['a', 'TRY_CAST(a AS DOUBLE)'],
  ],
  mc_bit: [['a', 'CAST(a AS BOOLEAN)']],
  mc_try_bit: [['a', 'TRY_CAST(a AS BOOLEAN)']],
  ...whole('int', 'INTEGER'),
  ...whole('bigint', 'BIGINT'),
  // `a` as it is compared with `b`.
  mc_compared: [
    ['a VARCHAR, b VARCHAR', 'a'],
    ['a VARCHAR, b INTEGER', 'mc_int(CAST(a AS VARCHAR))'],
    ['a VARCHAR, b BIGINT', 'mc_bigint(CAST(a AS VARCHAR))'],
    ['a VARCHAR, b HUGEINT', 'mc_bigint(CAST(a AS VARCHAR))'],
    ['a VARCHAR, b DOUBLE', 'mc_float(CAST(a AS VARCHAR))'],
    ['a VARCHAR, b DECIMAL(38,10)', 'CAST(mc_float(CAST(a AS VARCHAR)) AS DECIMAL(38,10))'],
    ['a VARCHAR, b TIMESTAMP', 'mc_datetime(CAST(a AS VARCHAR))'],
    ['a VARCHAR, b DATE', 'mc_datetime(CAST(a AS VARCHAR))'],
    ['a, b', 'a'],
  ],
  // A text beside a number is a number, and a number beside a date is days.
  mc_add: [
    ['a VARCHAR, b VARCHAR', 'a || b'],
    ['a TIMESTAMP, b INTEGER', 'a + to_days(CAST(b AS INTEGER))'],
    ['a VARCHAR, b INTEGER', 'mc_int(CAST(a AS VARCHAR)) + b'],
    ['a INTEGER, b VARCHAR', 'a + mc_int(CAST(b AS VARCHAR))'],
    ['a, b', 'a + b'],
  ],
  mc_subtract: [
    ['a TIMESTAMP, b INTEGER', 'a - to_days(CAST(b AS INTEGER))'],
    ['a DATE, b INTEGER', 'a - to_days(CAST(b AS INTEGER))'],
    ['a, b', 'a - b'],
  ],
};

const AS_GOOD: Readonly<Record<string, string>> = {
  mc_compared: 'a',
  mc_datetime: 'CAST(a AS TIMESTAMP)',
};

/**
 * DuckDB does not know the type of an aggregate when it chooses. Each macro has a second name, `…_as`, that takes the values
 * without types and then a witness for each: an expression of the same type, which is looked at and not evaluated.
 */
export const TYPED_MACROS: readonly string[] = Object.entries(FORMS).flatMap(([name, forms]) => [
  `${name}${forms.map(([parameters, body]) => `(${parameters}) AS ${body}`).join(', ')}`,
  `${name}_as${forms.map(([parameters, body]) => `(${witnessed(parameters)}) AS ${body}`).join(', ')}`,
]);

/**
 * DuckDB chooses no form where it does not know a type: of a column of the query around this one, or of one that is not there. These
 * have one form, so that it looks at their arguments; those in AS_GOOD give what the typed ones give, or an error.
 */
export const UNTYPED_MACROS: readonly string[] = Object.entries(FORMS).map(([name, [first]]) => {
  const names = (first?.[0] ?? 'a').split(', ').map((parameter) => parameter.split(' ')[0] ?? '');
  return `${name}_any(${names.join(', ')}) AS ${AS_GOOD[name] ?? names.map((each) => `${each} IS NULL`).join(' OR ')}`;
});

const TYPED_CALL = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\b(mc_\w+)\(/gi;

/** The query with calls of untyped macros: of those that are as good, or of all, to see what else is wrong with it. */
export function untyped(text: string, which: 'as good' | 'all'): string {
  const names = which === 'all' ? FORMS : AS_GOOD;
  return text.replaceAll(TYPED_CALL, (written: string, name: string | undefined) =>
    name !== undefined && Object.hasOwn(names, name.toLowerCase()) ? `${name}_any(` : written,
  );
}

/** `a VARCHAR, style` with a witness: `a, style, wa VARCHAR`. */
function witnessed(parameters: string): string {
  const given = parameters.split(', ');
  const names = given.map((parameter) => parameter.split(' ')[0] ?? '');
  const witnesses = given
    .filter((parameter) => !parameter.startsWith('style'))
    .map((parameter) => `w${parameter}`);
  return [...names, ...witnesses].join(', ');
}
