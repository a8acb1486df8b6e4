import { COLORS, decodeHtml } from './html-names.ts';

/** Simple rich text: what an editor in a web form writes. Everything else loses its tags and keeps its words. */
export interface HtmlBlock {
  readonly kind: 'paragraph' | 'heading' | 'item';
  /** The heading's rank, or how deep the list is. */
  readonly level: number;
  /** What stands before a list item. */
  readonly marker: string;
  readonly spans: HtmlSpan[];
}

export interface HtmlSpan extends Style {
  readonly text: string;
}

interface Style {
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly vertical: 'superscript' | 'subscript' | undefined;
  readonly color: string | undefined;
  readonly href: string | undefined;
}

const PLAIN: Style = {
  bold: false,
  italic: false,
  underline: false,
  strike: false,

  vertical: undefined,
  color: undefined,
  href: undefined,
};

const SKIPPED = new Set([
  'script',
  'style',
  'head',
  'title',
  'iframe',
  'object',
  'svg',
  'math',
  'template',
]);
const BLOCKS = new Set(
  (
    'p div h1 h2 h3 h4 h5 h6 li ul ol blockquote tr table section article header ' +
    'footer pre hr dl dt dd body html tbody'
  ).split(' '),
);
const DEPTH = 100;

const STYLED: Readonly<Record<string, Partial<Style>>> = {
  b: { bold: true },
  strong: { bold: true },
  i: { italic: true },
  em: { italic: true },

  u: { underline: true },
  ins: { underline: true },
  s: { strike: true },
  del: { strike: true },

  strike: { strike: true },
  sup: { vertical: 'superscript' },
  sub: { vertical: 'subscript' },
};

interface Open {
  readonly name: string;
  readonly style: Style;
  /** The number of the last item, for `ol`. */
  items: number;
}

/** One pass without recursion; unclosed and unknown tags do no harm. */
export function parseHtml(html: string): HtmlBlock[] {
  const blocks: HtmlBlock[] = [];
  const open: Open[] = [];
  let current: HtmlBlock | undefined;
  let skipping: string | undefined;

  const style = () => open.at(-1)?.style ?? PLAIN;
  const begin = (kind: HtmlBlock['kind'], level = 0, marker = '') => {
    current = { kind, level, marker, spans: [] };
    blocks.push(current);
    return current;
  };
  const write = (text: string) => {
    if (skipping !== undefined || text === '') return;
    const block = current;
    const atStart =
      block === undefined || block.spans.length === 0 || block.spans.at(-1)?.text.endsWith('\n');
    const words = decodeHtml(text).replace(/[ \t\r\n\f]+/g, ' ');
    const trimmed = atStart ? words.replace(/^ /, '') : words;
    if (trimmed !== '') (block ?? begin('paragraph')).spans.push({ ...style(), text: trimmed });
  };
  const opening = (name: string, attributes: string) => {
    if (SKIPPED.has(name)) skipping = name;
    else if (name === 'br') (current ?? begin('paragraph')).spans.push({ ...style(), text: '\n' });
    else if (name === 'td' || name === 'th') {
      if (current && current.spans.length > 0) current.spans.push({ ...style(), text: '\t' });
    } else if (BLOCKS.has(name)) current = undefined;
    if (VOID.has(name) || open.length >= DEPTH) return;
    open.push({ name, style: styleOf(name, attributes, style()), items: 0 });
    if (name === 'li') {
      const lists = open.filter((each) => each.name === 'ul' || each.name === 'ol');
      const list = lists.at(-1);
      const number = list ? ++list.items : 0;
      begin('item', Math.max(1, lists.length), list?.name === 'ol' ? `${number}.` : '•');
    } else if (/^h[1-6]$/.test(name)) begin('heading', Number(name[1]));
  };
  const closing = (name: string) => {
    if (skipping === name) skipping = undefined;
    const at = open.findLastIndex((each) => each.name === name);
    if (at !== -1) open.length = at;
    if (BLOCKS.has(name)) current = undefined;
  };

  let at = 0;
  let closed = true;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    write(html.slice(at, tag === -1 ? html.length : tag));
    if (tag === -1) break;
    if (html.startsWith('<!--', tag)) {
      const end = html.indexOf('-->', tag);
      at = end === -1 ? html.length : end + 3;
      continue;
    }
    const end = closed ? html.indexOf('>', tag) : -1;
    if (end === -1) closed = false; // asked once: a text of many "<" would be searched each time
    const inside = /^(\/?)([a-zA-Z][a-zA-Z0-9]*)/.exec(html.slice(tag + 1, tag + 30));
    if (inside === null || end === -1) {
      write('<');
      at = tag + 1;
      continue;
    }
    const name = (inside[2] ?? '').toLowerCase();
    if (inside[1] === '/') closing(name);
    else if (skipping === undefined) opening(name, html.slice(tag + 1, end));
    at = end + 1;
  }
  return blocks.map(trimEnd).filter(({ kind, spans }) => kind === 'item' || spans.length > 0);
}

const VOID = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr', 'col']);

/** From the end: a pattern would begin at each space and break before it. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

/** Spaces and breaks at the end of a block are not seen in HTML either. */
function trimEnd(block: HtmlBlock): HtmlBlock {
  const spans = [...block.spans];
  for (let last = spans.at(-1); last !== undefined; last = spans.at(-1)) {
    const text = withoutEnd(last.text);
    spans.pop();
    if (text !== '') {
      spans.push({ ...last, text });
      break;
    }
  }
  return { ...block, spans };
}

function styleOf(name: string, attributes: string, around: Style): Style {
  const own = Object.hasOwn(STYLED, name) ? STYLED[name] : undefined;
  if (own) return { ...around, ...own };
  if (name === 'a') return { ...around, href: attributeOf(attributes, 'href') ?? around.href };
  if (name === 'font')
    return { ...around, color: colorOf(attributeOf(attributes, 'color')) ?? around.color };
  if (name === 'th') return { ...around, bold: true };
  const css = attributeOf(attributes, 'style')?.toLowerCase();
  if (css === undefined) return around;
  const declared = (property: string) =>
    new RegExp(`(?:^|;)\\s*${property}\\s*:\\s*([^;]*)`).exec(css)?.[1]?.trim();
  const decoration = `${declared('text-decoration') ?? ''} ${declared('text-decoration-line') ?? ''}`;
  return {
    ...around,
    bold: around.bold || /^(?:bold|[6-9]00)/.test(declared('font-weight') ?? ''),
    italic: around.italic || declared('font-style') === 'italic',
    underline: around.underline || decoration.includes('underline'),
    strike: around.strike || decoration.includes('line-through'),
    color: colorOf(declared('color')) ?? around.color,
  };
}

function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(
    attributes,
  );
  const value = match?.[1] ?? match?.[2] ?? match?.[3];
  return value === undefined ? undefined : decodeHtml(value);
}

function colorOf(css: string | undefined): string | undefined {
  const text = css?.trim().toLowerCase() ?? '';
  if (/^#[0-9a-f]{6}$/.test(text)) return text.slice(1).toUpperCase();
  if (/^#[0-9a-f]{3}$/.test(text)) return text.slice(1).replace(/./g, '$&$&').toUpperCase();
  const rgb = /^rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})/.exec(text);
  if (rgb) {
    const hex = (part: string | undefined) =>
      Math.min(255, Number(part)).toString(16).padStart(2, '0');
    return `${hex(rgb[1])}${hex(rgb[2])}${hex(rgb[3])}`.toUpperCase();
  }
  return COLORS.get(text);
}
