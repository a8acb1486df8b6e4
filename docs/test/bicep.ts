/**
 * A resource of a Bicep file as a value, as far as ours go: objects, arrays, texts, numbers, and names of parameters and
 * variables. There is no compiler of Bicep here; what this cannot read is an error.
 */
export type Bicep =
  | string
  | number
  | boolean
  | Name
  | readonly Bicep[]
  | { readonly [key: string]: Bicep };

/** A parameter or a variable; a text with parts of it in keeps them as `${name}`. */
export interface Name {
  readonly named: string;
}

export function resourceIn(text: string): Bicep {
  const start = /^resource \w+ '[\w./]+@[\d-]+' = /m.exec(text);
  if (start === null) throw new Error('There is no resource.');
  return valueAt({ text, at: start.index + start[0].length });
}

/** The texts that variables and parameters stand for, where it is a text alone. */
export function textsIn(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/^(?:var|param) (\w+)(?: string)? = '([^'\n]*)'$/gm);
  return new Map([...found].map(([, name = '', value = '']) => [name, value]));
}

interface Reader {
  readonly text: string;
  at: number;
}

function valueAt(reader: Reader): Bicep {
  if (take(reader, /\{/y) !== null) return objectAt(reader);
  if (take(reader, /\[/y) !== null) return arrayAt(reader);
  const string = take(reader, /'((?:[^'\\\n]|\\.)*)'/y);
  if (string !== null) return string[1] ?? '';
  const word = take(reader, /[\w.]+/y)?.[0];
  if (word === undefined)
    throw new Error(`Not understood: ${reader.text.slice(reader.at, reader.at + 40)}`);
  if (/^\d+$/.test(word)) return Number(word);
  return word === 'true' || word === 'false' ? word === 'true' : { named: word };
}

function objectAt(reader: Reader): Bicep {
  const fields: Record<string, Bicep> = {};
  while (take(reader, /\}/y) === null) {
    const key = take(reader, /(?:(\w+)|'([^'\n]*)')\s*:/y);
    if (key === null) throw new Error(`No field: ${reader.text.slice(reader.at, reader.at + 40)}`);
    fields[key[1] ?? key[2] ?? ''] = valueAt(reader);
  }
  return fields;
}

function arrayAt(reader: Reader): Bicep {
  const values: Bicep[] = [];
  while (take(reader, /\]/y) === null) values.push(valueAt(reader));
  return values;
}

/** After blanks and comments. */
function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  const blanks = /(?:\s|\/\/[^\n]*)*/y;
  blanks.lastIndex = reader.at;
  blanks.exec(reader.text);
  pattern.lastIndex = Math.max(blanks.lastIndex, reader.at);
  const match = pattern.exec(reader.text);
  if (match !== null) reader.at = pattern.lastIndex;
  return match;
}
