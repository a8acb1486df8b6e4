import { COLORS } from './html-names.ts';
import { type HtmlPicture, type SvgWriter, svgWriter } from './html-svg.ts';
import { readHtml } from './html-tokens.ts';

/** Simple rich text: what an editor in a web form writes. Everything else loses its tags and keeps its words. */
export type HtmlBlock = HtmlText | HtmlTable;

export interface HtmlText {
  readonly kind: 'paragraph' | 'heading' | 'item';
  /** The heading's rank, or how deep the list is. */
  readonly level: number;
  /** The text before a list item. */
  marker: string;
  readonly spans: HtmlSpan[];
}

export interface HtmlTable {
  readonly kind: 'table';
  readonly rows: HtmlCell[][];
}

export interface HtmlCell {
  readonly columns: number;
  readonly rows: number;
  readonly blocks: HtmlText[];
}

export interface HtmlSpan extends Style {
  readonly text: string;
  /** A picture instead of text. */
  readonly picture?: HtmlPicture;
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

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const SKIPPED = words('script style head title iframe object math template xml');
const VOID = words('br hr img input meta link wbr col');
const BLOCKS = words(
  'p div h1 h2 h3 h4 h5 h6 li ul ol blockquote tr table section article header footer pre hr dl dt dd ' +
    'body html tbody thead tfoot td th caption address figure figcaption',
);
const DEPTH = 100;

interface EndRule {
  readonly ends: ReadonlySet<string>;
  readonly within: ReadonlySet<string>;
}

/** The open elements that an element ends, and within what: an item ends the one before it in the same list. */
const ENDS: Readonly<Record<string, EndRule>> = {
  li: { ends: words('li'), within: words('ul ol') },
  tr: { ends: words('tr td th'), within: words('table') },
  td: { ends: words('td th'), within: words('table tr') },
  th: { ends: words('td th'), within: words('table tr') },
  dt: { ends: words('dt dd'), within: words('dl') },
  dd: { ends: words('dt dd'), within: words('dl') },
};

/** Every other block ends a paragraph. */
const END_PARAGRAPH: EndRule = { ends: words('p'), within: words('table td th li div blockquote') };

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

type Attributes = ReadonlyMap<string, string>;

interface Open {
  readonly name: string;
  readonly attributes: Attributes;
  readonly style: Style;
  /** The number of the last item, for `ol`. */
  items: number;
}

/** A list that counts down to 1: its first number is known when its last item is. */
interface Countdown {
  readonly list: Open;
  readonly items: { readonly block: HtmlText; readonly value: string | undefined }[];
}

/** Without recursion; unclosed and unknown tags do no harm. */
export function parseHtml(html: string): HtmlBlock[] {
  const blocks: HtmlBlock[] = [];
  const open: Open[] = [];
  /** Tables within the cells of the outermost one become lines of its cell. */
  const table = tableReader((found) => blocks.push(found));
  let current: HtmlText | undefined;
  const countdowns = new Map<Open, Countdown>();
  let svg: SvgWriter | undefined;
  let skipped: { readonly name: string; depth: number } | undefined;

  const style = () => open.at(-1)?.style ?? PLAIN;
  const begin = (kind: HtmlText['kind'], level = 0, marker = ''): HtmlText => {
    current = { kind, level, marker, spans: [] };
    (table.cell() ?? blocks).push(current);
    return current;
  };
  const add = (span: Omit<HtmlSpan, keyof Style>) =>
    (current ?? begin('paragraph')).spans.push({ ...style(), ...span });
  const beginsItem = () =>
    current?.kind === 'item' && current.spans.length === 0 && open.at(-1)?.name === 'li';
  const endOpen = (name: string) => {
    const rule = Object.hasOwn(ENDS, name)
      ? ENDS[name]
      : BLOCKS.has(name)
        ? END_PARAGRAPH
        : undefined;
    if (rule === undefined) return;
    const at = open.findLastIndex((each) => rule.ends.has(each.name) || rule.within.has(each.name));
    if (rule.ends.has(open[at]?.name ?? '')) open.length = at;
  };

  const endSvg = () => {
    const picture = svg?.picture();
    svg = undefined;
    if (picture) add({ text: '', picture });
  };

  readHtml(html, {
    text: (raw) => {
      if (skipped !== undefined) return;
      if (svg !== undefined) return svg.text(raw);
      if (open.some(({ name }) => name === 'pre')) {
        // The first line break only sets the element off.
        const isFirst = current === undefined || current.spans.length === 0;
        const whole = raw.replace(/\r\n?/g, '\n').replace(isFirst ? /^\n/ : /(?!)/, '');
        if (whole !== '') add({ text: whole });
        return;
      }
      const last = current?.spans.at(-1)?.text ?? ' ';
      const text = raw.replace(/[ \t\r\n\f]+/g, ' ');
      // Neither at the start of a line nor behind another one does a space show.
      const shown = /[ \n\t]$/.test(last) ? text.replace(/^ /, '') : text;
      if (shown !== '') add({ text: shown });
    },
    cdata: (text) => svg?.text(text),
    open: (name, attributes, isClosed) => {
      if (svg?.open(name, attributes, isClosed) === true) return;
      endSvg(); // nobody closed it
      if (skipped !== undefined) {
        if (skipped.name === name) skipped.depth += 1;
        return;
      }
      if (SKIPPED.has(name)) {
        skipped = { name, depth: 1 };
        return;
      }
      if (name === 'svg') {
        if (!isClosed) svg = svgWriter(attributes);
        return;
      }
      const inner = table.opens(name, attributes);
      if (inner === 'next cell') add({ text: '\t' });
      else if (name === 'br') add({ text: '\n' });
      else if (name === 'img') addPicture(attributes, add);
      // A paragraph that begins an item, as most editors have it, is that item's line.
      else if (BLOCKS.has(name) && inner === undefined && !beginsItem()) current = undefined;
      if (VOID.has(name)) return;
      endOpen(name);
      if (open.length < DEPTH) {
        const isDown = name === 'ol' && attributes.has('reversed');
        const start = numberOf(attributes.get('start'), isDown ? null : 1);
        const items = (start ?? 0) - (isDown ? -1 : 1);
        const list = { name, attributes, style: styleOf(name, attributes, style()), items };
        open.push(list);
        if (start === null) countdowns.set(list, { list, items: [] });
      }
      if (name === 'li') {
        const lists = open.filter((each) => each.name === 'ul' || each.name === 'ol');
        const list = lists.at(-1);
        if (list) countItem(list, attributes.get('value'));
        const marker = list?.name === 'ol' ? markerOf(list) : '•';
        const block = begin('item', Math.max(1, lists.length), marker);
        if (list) countdowns.get(list)?.items.push({ block, value: attributes.get('value') });
      } else if (/^h[1-6]$/.test(name)) begin('heading', Number(name[1]));
    },
    close: (name) => {
      if (svg !== undefined) {
        if (svg.close(name)) endSvg();
        return;
      }
      if (skipped !== undefined) {
        if (skipped.name === name && --skipped.depth === 0) skipped = undefined;
        return;
      }
      const at = open.findLastIndex((each) => each.name === name);
      if (at !== -1) {
        const above = open.splice(at);
        // <b>x<i>y</b>z</i>: the italics go on.
        if (!BLOCKS.has(name) && !above.some((each) => BLOCKS.has(each.name)))
          for (const each of above.slice(1))
            open.push({ ...each, style: styleOf(each.name, each.attributes, style()) });
      }
      if (BLOCKS.has(name) && !table.closes(name)) current = undefined;
    },
  });
  endSvg();
  table.end();
  for (const { list, items } of countdowns.values()) countDown(list, items);
  return blocks.flatMap(trimmed);
}

function countItem(list: Open, value: string | undefined): void {
  const step = list.name === 'ol' && list.attributes.has('reversed') ? -1 : 1;
  list.items = numberOf(value, list.items + step);
}

function countDown(list: Open, items: Countdown['items']): void {
  list.items = items.length + 1;
  for (const { block, value } of items) {
    countItem(list, value);
    block.marker = markerOf(list);
  }
}

/** A number as people write it in an attribute; `li value` and `ol start` may be below zero. */
function numberOf<Otherwise extends number | null>(
  text: string | undefined,
  otherwise: Otherwise,
): number | Otherwise {
  return /^\s*-?\d{1,9}\s*$/.test(text ?? '') ? Number(text) : otherwise;
}

/** How a list counts, by its attribute or its style sheet. */
const COUNTING: Readonly<Record<string, (n: number) => string>> = {
  a: letters,
  'lower-alpha': letters,
  'lower-latin': letters,
  A: (n) => letters(n).toUpperCase(),
  'upper-alpha': (n) => letters(n).toUpperCase(),
  'upper-latin': (n) => letters(n).toUpperCase(),
  i: roman,
  'lower-roman': roman,
  I: (n) => roman(n).toUpperCase(),
  'upper-roman': (n) => roman(n).toUpperCase(),
};

function markerOf({ items, attributes }: Pick<Open, 'items' | 'attributes'>): string {
  const css = /(?:^|;)\s*list-style(?:-type)?\s*:\s*([\w-]+)/i.exec(attributes.get('style') ?? '');
  const type = css?.[1]?.toLowerCase() ?? attributes.get('type')?.trim() ?? '';
  const count = Object.hasOwn(COUNTING, type) && items > 0 ? COUNTING[type] : String;
  return `${count?.(items) ?? items}.`;
}

/** a to z, then aa. */
function letters(n: number): string {
  const rest = Math.floor((n - 1) / 26);
  return `${rest === 0 ? '' : letters(rest)}${String.fromCodePoint(97 + ((n - 1) % 26))}`;
}

const ROMAN = [
  ...([
    ['m', 1000],
    ['cm', 900],
    ['d', 500],
    ['cd', 400],
    ['c', 100],
    ['xc', 90],
  ] as const),
  ...([
    ['l', 50],
    ['xl', 40],
    ['x', 10],
    ['ix', 9],
    ['v', 5],
    ['iv', 4],
    ['i', 1],
  ] as const),
];

function roman(n: number): string {
  if (n > 3_999) return String(n);
  let [left, text] = [n, ''];
  for (const [sign, value] of ROMAN) for (; left >= value; left -= value) text += sign;
  return text;
}

function addPicture(
  attributes: Attributes,
  add: (span: { readonly text: string; readonly picture: HtmlPicture }) => void,
): void {
  const of = (name: string) => attributes.get(name)?.trim() ?? '';
  const picture = { source: of('src'), alt: of('alt'), width: of('width'), height: of('height') };
  add({ text: '', picture });
}

interface TableReader {
  /** Says when a cell of a table within a cell begins: it stays in its line. */
  opens(name: string, attributes: Attributes): 'first cell' | 'next cell' | undefined;
  /** True for the end of such a cell. */
  closes(name: string): boolean;
  /** Where the text of the cell under way goes; undefined outside of cells. */
  cell(): HtmlText[] | undefined;
  end(): void;
}

const MOST_COLUMNS = 63; // Word's own limit

function tableReader(add: (table: HtmlTable) => void): TableReader {
  let depth = 0;
  let rows: HtmlCell[][] = [];
  let cell: HtmlCell | undefined;
  let cellsInside = 0;
  const end = () => {
    const filled = rows.filter((row) => row.length > 0);
    if (filled.length > 0) add({ kind: 'table', rows: filled });
    rows = [];
    cell = undefined;
    depth = 0;
  };
  const span = (text: string | undefined) => Math.min(MOST_COLUMNS, Math.max(1, numberOf(text, 1)));
  return {
    opens: (name, attributes) => {
      if (name === 'table') depth += 1;
      const isCell = name === 'td' || name === 'th';
      if (depth > 1) {
        if (name === 'tr') cellsInside = 0;
        if (!isCell) return undefined;
        return cellsInside++ === 0 ? 'first cell' : 'next cell';
      }
      if (depth === 1 && name === 'tr') {
        rows.push([]);
        cell = undefined;
      } else if (depth === 1 && isCell) {
        const [columns, down] = [span(attributes.get('colspan')), span(attributes.get('rowspan'))];
        cell = { columns, rows: down, blocks: [] };
        if (rows.length === 0) rows.push([]);
        rows.at(-1)?.push(cell);
      }
      return undefined;
    },
    closes: (name) => {
      const isCell = name === 'td' || name === 'th';
      if (depth > 1 && isCell) return true;
      if (depth > 0 && name === 'table') {
        depth -= 1;
        if (depth === 0) end();
      } else if (depth === 1 && (isCell || name === 'tr')) cell = undefined;
      return false;
    },
    cell: () => cell?.blocks,
    end,
  };
}

/** Spaces and breaks at the end of a block are not seen in HTML either; a block without anything is none. */
function trimmed(block: HtmlBlock): HtmlBlock[] {
  if (block.kind === 'table') {
    const rows = block.rows.map((row) =>
      row.map((cell) => ({ ...cell, blocks: cell.blocks.flatMap(trimmedText) })),
    );
    return [{ ...block, rows }];
  }
  return trimmedText(block);
}

function trimmedText(block: HtmlText): HtmlText[] {
  const spans = [...block.spans];
  for (let last = spans.at(-1); last !== undefined && !last.picture; last = spans.at(-1)) {
    const text = last.text.replace(/[ \n]+$/, '');
    spans.pop();
    if (text !== '') {
      spans.push({ ...last, text });
      break;
    }
  }
  return block.kind === 'item' || spans.length > 0 ? [{ ...block, spans }] : [];
}

/** A table as lines of text, with a tab between its cells: for places that can hold no table. */
export function linesOf(block: HtmlBlock): HtmlText[] {
  if (block.kind !== 'table') return [block];
  return block.rows.map((row) => ({
    kind: 'paragraph',
    level: 0,
    marker: '',
    spans: row.flatMap(({ blocks }, index) => [
      ...(index === 0 ? [] : [{ ...PLAIN, text: '\t' }]),
      ...blocks.flatMap(({ spans }, n) => (n === 0 ? spans : [{ ...PLAIN, text: '\n' }, ...spans])),
    ]),
  }));
}

function styleOf(name: string, attributes: Attributes, around: Style): Style {
  const own = Object.hasOwn(STYLED, name) ? STYLED[name] : undefined;
  if (own) return { ...around, ...own };
  if (name === 'a') return { ...around, href: attributes.get('href') ?? around.href };
  if (name === 'font')
    return { ...around, color: colorOf(attributes.get('color')) ?? around.color };
  if (name === 'th') return { ...around, bold: true };
  const css = attributes.get('style')?.toLowerCase();
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
