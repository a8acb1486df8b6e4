/**
 * The text that a reader of a part sees once all tracked changes are accepted, paragraph by paragraph, with a FILLED
 * where a merge puts a field's result. On purpose it shares nothing with the compiler, whose work it is held against.
 */
export function paragraphsOf(xml: string): string[] {
  const reader = createReader();
  for (const [, closing, name = '', attributes = '', isEmpty, text, literal] of xml.matchAll(PIECE))
    if (text !== undefined) reader.text(decoded(text));
    else if (literal !== undefined) reader.text(literal);
    else if (name !== '') {
      if (closing === '') reader.open(name, attributes);
      if (closing !== '' || isEmpty !== '') reader.close(name);
    }
  return reader.paragraphs();
}

/** Comments and instructions; an element by its local name; text; CDATA. */
const PIECE =
  /<!--[^]*?-->|<\?[^]*?\?>|<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:"[^"]*"|'[^']*'|[^'">])*?)(\/?)>|([^<]+)|<!\[CDATA\[([^]*?)\]\]>/g;

/** Where a field's result stands: a character that no XML has. */
export const FILLED = '\u0000';

/** Their results are what a merge puts there. */
const FILLED_FIELD = /^\s*(?:MERGEFIELD|FILENAME|IF)\b/i;

interface Field {
  code: string;
  inResult: boolean;
}

function createReader() {
  const open: { name: string; gone: boolean; paragraphs: number }[] = [];
  const unfinished: string[] = [];
  const fields: Field[] = [];
  const simpleFields: string[] = [];
  const paragraphs: string[] = [];
  let deleted = 0;

  /** A row or a cell goes with all that is in it. */
  function removeEnclosing(name: string): void {
    const place = open.findLast((element) => element.name === name);
    if (place) place.gone = true;
  }

  function isShown(): boolean {
    return (
      deleted === 0 &&
      fields.every(({ code, inResult }) => inResult && !FILLED_FIELD.test(code)) &&
      !simpleFields.some((code) => FILLED_FIELD.test(code))
    );
  }

  function add(text: string): void {
    if (isShown() && unfinished.length > 0)
      unfinished[unfinished.length - 1] = (unfinished.at(-1) ?? '') + text;
  }

  /** The texts on both sides of a result are not one. */
  function leave(code = ''): void {
    if (FILLED_FIELD.test(code)) add(FILLED);
  }

  function fieldMark(type: string | undefined): void {
    const field = fields.at(-1);
    if (type === 'begin') fields.push({ code: '', inResult: false });
    else if (type === 'separate' && field) field.inResult = true;
    else if (type === 'end') leave(fields.pop()?.code);
  }

  return {
    open(name: string, attributes: string): void {
      const parent = open.at(-1)?.name;
      open.push({ name, gone: false, paragraphs: paragraphs.length });
      if (name === 'p') unfinished.push('');
      else if (name === 'del' && parent === 'trPr') removeEnclosing('tr');
      else if (name === 'cellDel') removeEnclosing('tc');
      else if (name === 'del' || name === 'moveFrom') deleted += 1;
      else if (name === 'fldChar') fieldMark(attributeOf(attributes, 'fldCharType'));
      else if (name === 'fldSimple') simpleFields.push(attributeOf(attributes, 'instr') ?? '');
      else if (BETWEEN.has(name)) add(' ');
    },
    close(name: string): void {
      const element = open.pop();
      const parent = open.at(-1)?.name;
      if (name === 'p') paragraphs.push(unfinished.pop() ?? '');
      else if ((name === 'del' && parent !== 'trPr') || name === 'moveFrom') deleted -= 1;
      else if (name === 'fldSimple') leave(simpleFields.pop());
      if (element?.gone === true) paragraphs.length = element.paragraphs;
    },
    text(text: string): void {
      const name = open.at(-1)?.name;
      const field = fields.at(-1);
      if (name === 't') add(text);
      else if (name === 'instrText' && field) field.code += text;
    },
    paragraphs: () => paragraphs,
  };
}

const BETWEEN = new Set(['tab', 'br', 'cr']);

function attributeOf(attributes: string, name: string): string | undefined {
  const [, double, single] =
    new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return double ?? single;
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text
    .replaceAll(
      /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos));/gi,
      (all: string, hex, decimal, name) => {
        if (typeof name === 'string') return NAMED[name] ?? all;
        const code = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal);
        return code <= 0x10ffff ? String.fromCodePoint(code) : all;
      },
    )
    .replaceAll('&amp;', '&');
}
