// One object in each line. Each column has one kind of JSON value in all lines, so that a reader can give it a type:
// decimals are always strings, since most readers make doubles of numbers, where 0.10 becomes 0.1 and the nineteenth
// digit of a sum is lost.

import { momentOf } from './dates.ts';
import { encodeLines } from './text.ts';
import type { Column, ColumnType, Notes, Row, Value, Writer } from './columns.ts';
import { booleanOf, doubleText, isExactInDouble, isMissing, numberText, textOf } from './values.ts';

export function createJsonLines(columns: readonly Column[], notes: Notes): Writer<null> {
  const members = columns.map((column, i) => ({
    key: memberKey(column.name, i),
    isText: column.type === 'text',
    json: jsonOf(column, notes),
  }));

  function lineOf(row: Row): string {
    let line = '';
    for (let i = 0; i < members.length; i++) {
      const member = members[i];
      if (member === undefined) continue;
      const value = row[i];
      line += member.key;
      line += isMissing(value, member.isText) ? 'null' : member.json(value);
    }
    return `${line}}\n`;
  }

  return {
    begin: () => [],
    write: (rows) => encodeLines(rows, lineOf, notes),
    end: () => [],
    state: () => null,
  };
}

/** JSON has them between its values alone: in a string they are escaped. */
const LINE_ENDS = /[\r\n]+/g;

type Given = Exclude<Value, null | undefined>;

/** The text before the value of column `i`. */
export function memberKey(name: string, i: number): string {
  return `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`;
}

export function jsonOf({ type, isJson }: Column, notes: Notes): (value: Given) => string {
  if (isJson === true) return (value) => textOf(value).replaceAll(LINE_ENDS, ' ');
  const read = READERS[type];
  return (value) => {
    const json = read(value);
    if (json !== null) return json;
    notes.asText++;
    return JSON.stringify(textOf(value));
  };
}

/** JSON; null where the value is none of its type. JSON.stringify writes halves of surrogate pairs as \uD800. */
const READERS: Record<ColumnType, (value: Given) => string | null> = {
  text: (value) => JSON.stringify(textOf(value)),
  number: (value) => {
    const text = numberText(value);
    if (text === null) return null;
    return typeof value === 'number' || isExactInDouble(text) ? text : `"${text}"`;
  },
  decimal: (value) => {
    const text = numberText(value);
    return text === null ? null : `"${text}"`;
  },
  double: doubleText,
  boolean: (value) => booleanOf(value)?.toString() ?? null,
  date: (value) => (momentOf(value) === null ? null : JSON.stringify(textOf(value))),
};
