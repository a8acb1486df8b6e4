import { Parser } from 'saxen';

/** A sentence for the person whose file it is. */
export class BadWorkbook extends Error {}

export interface Visit {
  readonly open: (name: string, attributes: () => Readonly<Record<string, string>>) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

/**
 * One pass over a part, without a tree. Names come without their prefix, which each program chooses for itself. A
 * document type is refused, so that no entity but XML's own five is ever read.
 */
export function visit(xml: string, { open, close, text }: Visit): void {
  const parser = new Parser();
  parser.on('openTag', (name, attributes) => open(localName(name), attributes));
  if (close) parser.on('closeTag', (name) => close(localName(name)));
  if (text) {
    parser.on('text', (value, decode) => text(decode(value)));
    parser.on('cdata', text);
  }
  parser.on('attention', () => {
    throw new BadWorkbook('The XLSX declares a document type, which no spreadsheet needs.');
  });
  parser.on('error', (error) => {
    throw new BadWorkbook(`The XLSX is damaged: ${error.message}.`);
  });
  parser.parse(xml);
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** Of an attribute whose prefix nobody knows: `r:id`. */
export function attribute(
  attributes: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  return Object.entries(attributes).find(([key]) => key === name || key.endsWith(`:${name}`))?.[1];
}

/** `_x000D_` is how a workbook writes a character that XML has no room for. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
