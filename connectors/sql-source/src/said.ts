/**
 * Whether the words of the database may stand in a sentence that people read. What it says while it computes rows quotes their
 * values ('invalid input syntax for type integer: "…"'), also those of rows that the row rules of a report keep from whoever
 * reads the sentence: Postgres may compute a condition of the SQL before it looks at the rule. So data exceptions, what
 * functions raise, and errors of statements that name no place in the SQL (a cast to regclass) are said by their SQLSTATE; the log
 * has the rest.
 */
export function mayBeQuoted(code: string, hasPosition: boolean): boolean {
  if (code.startsWith('42')) return hasPosition || code === '42501';
  return !/^(2[0-4]|2F|38|39|P0)/.test(code);
}

/** The SQLSTATEs that data of reports runs into, in words of ours. */
const WORDS: Readonly<Record<string, string>> = {
  '21000': 'a subquery gives more than one row',
  '22001': 'a text is too long for its type',
  '22003': 'a number is out of range',
  '22007': 'a text is no date or time',
  '22008': 'a date or time is out of range',
  '22012': 'division by zero',
  '2201B': 'a regular expression is not valid',
  '2201E': 'a logarithm of 0 or less',
  '22021': 'characters that the encoding does not have',
  '22023': 'a value that a function does not take',
  '22P02': 'a text is no value of the type that it is read as',
  '22P05': 'a character that the encoding does not have',
};

/** In the place of what the database said. */
export function inOurWords(code: string): string {
  const words = WORDS[code];
  const state = `SQLSTATE ${code}; the log of the server has what the database said`;
  return words === undefined ? state : `${words}, ${state}`;
}
