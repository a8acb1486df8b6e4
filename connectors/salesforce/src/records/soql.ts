/** A text literal of SOQL, quotes included. */
export function soqlText(value: string): string {
  return `'${value.replaceAll(/[\\'"\n\r\t\b\f]/g, (character) => ESCAPES[character] ?? character)}'`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

/** A dateTime literal of SOQL, which stands without quotes: 2026-03-01T12:00:00.000Z. */
export function soqlTime(ms: number): string {
  return new Date(ms).toISOString();
}
