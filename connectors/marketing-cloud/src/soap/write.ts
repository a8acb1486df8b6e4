import { invalid } from '../errors.ts';

/**
 * XML is written from elements, never from strings: whatever a text holds, it stays that text. `>` is escaped as well, so that
 * there is no `]]>`; a carriage return is a reference, since a parser would make it a line feed.
 */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly Element[];
}

export function element(
  name: string,
  content: Element['content'],
  attributes: Element['attributes'] = {},
): Element {
  return { name, attributes, content };
}

/** An element for each value that is there. */
export function elements(
  values: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Element[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [element(name, String(value))],
  );
}

export function writeXml({ name, attributes, content }: Element): string {
  const head = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(key, value)}"`);
  const inner =
    typeof content === 'string' ? escaped(name, content) : content.map(writeXml).join('');
  return `<${name}${head.join('')}>${inner}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** What no XML 1.0 document may hold, not even as a reference. */
// oxlint-disable-next-line no-control-regex -- these are the characters in question
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;

/** Refuses a text that cannot be sent to Marketing Cloud. `name`: what the text is, for the message. */
export function refuseUnwritable(name: string, text: string): void {
  const found = FORBIDDEN.exec(text);
  if (found === null) return;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const what = code.startsWith('D') ? 'half of a character' : 'a control character';
  const line = text.slice(0, found.index).split('\n').length;
  throw invalid(
    'invalid_text',
    `${name} holds ${what} (U+${code}) in line ${line}, which cannot be sent to Marketing Cloud. Remove it.`,
  );
}

function escaped(name: string, text: string): string {
  refuseUnwritable(name, text);
  return text.replaceAll(/[&<>"\r]/g, (char) => ENTITIES[char] ?? char);
}
