/** No form of a macro takes the types of its arguments, or DuckDB does not know them. */
export const UNFIT = 'The types of an expression do not fit together.';

/** DuckDB's messages, by what they are about, in the words of SQL Server ("Database Engine errors" 207, 209, 245, 8120, 8134). */
const MESSAGES: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /Referenced column (?:"([^"]+)"|(\S+)) (?:was )?not found/,
    ([, name, bare]) => `Invalid column name '${name ?? bare}'.`,
  ],
  [
    /(?:Table|Values list) "([^"]+)" does not have a column named "([^"]+)"/,
    ([, , name]) => `Invalid column name '${name}'.`,
  ],
  [
    /Referenced table "([^"]+)" not found/,
    ([, name]) => `The multi-part identifier "${name}" could not be bound.`,
  ],
  [
    /Ambiguous reference to column name "([^"]+)"/,
    ([, name]) => `Ambiguous column name '${name}'.`,
  ],
  [
    /column "?([^"]+?)"? must appear in the GROUP BY clause/i,
    ([, name]) =>
      `Column '${name}' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.`,
  ],
  [
    /Could not convert string '([^']*)' to (INT\d+|DOUBLE|DECIMAL|BOOL)/,
    ([, value, type]) =>
      `Conversion failed when converting the varchar value '${value}' to data type ${TYPES[type ?? ''] ?? 'int'}.`,
  ],
  [
    /Set operations can only apply to expressions with the same number of result columns/,
    () =>
      'All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists.',
  ],
  [
    /invalid (?:date|timestamp) field format/i,
    () => 'Conversion failed when converting date and/or time from character string.',
  ],
  [/Macro "?mc_\w+|candidate function/, () => UNFIT],
  [/^Invalid Input Error: ([^\n]+)/, ([, sentence = '']) => sentence],
  [/^Conversion Error: ([^\n]+)/, ([, sentence = '']) => `Conversion failed. ${sentence}`],
  [/^(?:\w+ )*Error: ([^\n]+)/, ([, sentence = '']) => `The query cannot be run. ${sentence}`],
];

const TYPES: Readonly<Record<string, string>> = {
  INT32: 'int',
  INT64: 'bigint',
  DOUBLE: 'float',
  DECIMAL: 'numeric',
  BOOL: 'bit',
};

export function sqlServerMessage(message: string): string {
  for (const [pattern, say] of MESSAGES) {
    const found = pattern.exec(message);
    if (found !== null) return say(found);
  }
  return `The query cannot be run. ${message.split('\n')[0] ?? ''}`;
}
