import type { Token } from '../../xml/tokenizer.ts';
import { attribute, child, children, closest, elementRaw, leading } from '../../xml/tokens.ts';
import type { Block } from './blocks.ts';
import type { Builder } from '../ops/builder.ts';
import type { Layout } from './levels.ts';
import type { Boundary, ColumnRoom, Grid, Op } from '../ops/ops.ts';

/** Writes tables and rows that may lose all their rows or cells, and the widths of repeated columns. */
export interface Tables {
  emit(token: Token, columnDepth: number): void;
  columnSlot(block: Block): number | undefined;
  columnRoom(block: Block): ColumnRoom | undefined;
  slots(): number;
}

/** The elements before the rows of a table and the cells of a row. */
const HEADS: readonly string[] = ['w:tblPr', 'w:tblGrid', 'w:tblPrEx', 'w:trPr'];

export function createTables(tokens: readonly Token[], layout: Layout, builder: Builder): Tables {
  const slots = new Map<string, number>();
  const slotOf = new Map<Block, number>();
  const roomOf = new Map<Block, ColumnRoom>();
  const grids = new Map<
    Token,
    { widths: number[]; repeated: Map<number, Grid['repeated'][number]> }
  >();
  for (const [block, { from, to, row }] of layout.columns) {
    const table = closest(tokens, row, 'w:tbl');
    if (!table) continue;
    const span = columnSpan(tokens, row, from, to);
    const key = `${table.index}:${span.from}:${span.span}`;
    const slot = slots.get(key) ?? slots.size;
    slots.set(key, slot);
    slotOf.set(block, slot);
    const grid = grids.get(table) ?? { widths: gridWidths(tokens, table), repeated: new Map() };
    grid.repeated.set(slot, { slot, ...span });
    grids.set(table, grid);
    const width = Math.min(...grid.widths.slice(span.from, span.from + span.span));
    roomOf.set(block, { width, margins: cellMargins(tokens, table) });
  }

  /** The head ends where the first row or cell begins; its ops wait here until the shell is closed. */
  const headEnds = new Map<Token, Token>();
  for (const shell of layout.shells) {
    const first = children(tokens, shell).find(({ name }) => !HEADS.includes(name));
    const last = children(tokens, shell).findLast(({ name }) => HEADS.includes(name));
    if (first) headEnds.set(last ? (tokens[last.match] ?? last) : shell, shell);
  }
  const heads: Op[][] = [];

  const emit = (token: Token, columnDepth: number): void => {
    const opens = token.kind === 'open' && layout.shells.has(token);
    const shell = token.kind === 'close' ? tokens[token.match] : undefined;
    if (opens) builder.open();
    if (shell && layout.shells.has(shell)) {
      const body = builder.close();
      const head = heads.pop() ?? [];
      const found = grids.get(shell);
      const grid = found && { widths: found.widths, repeated: [...found.repeated.values()] };
      const ends = boundaryOf(token, layout);
      const tail: Op[] = [{ op: 'bytes', bytes: Buffer.from(token.raw), ends }];
      builder.add({ op: 'shell', head, body, tail, grid });
      return;
    }
    const width =
      columnDepth > 0 && token.name === 'w:tcW' && token.kind !== 'close' ? dxa(token) : undefined;
    if (width !== undefined && token.kind === 'empty') builder.add({ op: 'columnWidth', width });
    else if (!isGridOf(tokens, token, grids)) builder.text(token.raw, boundaryOf(token, layout));
    if (headEnds.has(token)) {
      heads.push(builder.close());
      builder.open();
    }
  };
  return {
    emit,
    columnSlot: (block) => slotOf.get(block),
    columnRoom: (block) => roomOf.get(block),
    slots: () => slots.size,
  };
}

const ENDS: Readonly<Record<string, Boundary>> = {
  'w:p': 'paragraph',
  'w:tbl': 'table',
  'w:tc': 'cell',
  'w:tr': 'row',
};
const STARTS = /^w:(?:body|tc|txbxContent|hdr|ftr|footnote|endnote)$/;

/** The structure that a token begins or ends. */
export function boundaryOf(token: Token, layout: Layout): Boundary | undefined {
  if (token.kind === 'close') return ENDS[token.name];
  if (token.kind !== 'open') return undefined;
  const holds = layout.containers.has(token) || layout.shells.has(token);
  return holds || STARTS.test(token.name) ? 'start' : undefined;
}

/** The grid of a table with repeated columns is written by the merge, which knows how many there are. */
function isGridOf(
  tokens: readonly Token[],
  token: Token,
  grids: ReadonlyMap<Token, unknown>,
): boolean {
  if (token.name !== 'w:tblGrid' && token.name !== 'w:gridCol') return false;
  const table = closest(tokens, token, 'w:tbl');
  return table !== undefined && grids.has(table);
}

function columnSpan(
  tokens: readonly Token[],
  row: Token,
  from: Token,
  to: Token,
): { from: number; span: number } {
  let column = 0;
  let start = 0;
  for (const cell of children(tokens, row)) {
    if (cell.name !== 'w:tc' && cell.name !== 'w:sdt') continue;
    if (cell === from) start = column;
    column += gridSpan(tokens, cell);
    if (cell === to) break;
  }
  return { from: start, span: Math.max(1, column - start) };
}

function gridSpan(tokens: readonly Token[], cell: Token): number {
  const properties = child(tokens, cell, 'w:tcPr');
  const span = properties && child(tokens, properties, 'w:gridSpan');
  return Math.min(63, Math.max(1, Number(span && attribute(span, 'w:val')) || 1));
}

function gridWidths(tokens: readonly Token[], table: Token): number[] {
  const grid = child(tokens, table, 'w:tblGrid');
  return grid ? children(tokens, grid).map((column) => Number(attribute(column, 'w:w')) || 0) : [];
}

const WORDS_MARGIN = 108; // twips, on the left and on the right

function cellMargins(tokens: readonly Token[], table: Token): number {
  const properties = child(tokens, table, 'w:tblPr');
  const margins = properties && child(tokens, properties, 'w:tblCellMar');
  const side = (...names: readonly string[]): number => {
    const own = margins && children(tokens, margins).find(({ name }) => names.includes(name));
    return (own && dxa(own)) ?? WORDS_MARGIN;
  };
  return side('w:left', 'w:start') + side('w:right', 'w:end');
}

function dxa(token: Token): number | undefined {
  const type = attribute(token, 'w:type');
  const width = Number(attribute(token, 'w:w'));
  return (type === undefined || type === 'dxa') && Number.isFinite(width) ? width : undefined;
}

/** The empty paragraph that a container may need: it looks like the last one that could be there. */
export function paragraphFallback(
  tokens: readonly Token[],
  container: Token,
): Extract<Op, { op: 'ensure' }> {
  const last = children(tokens, container).findLast(({ name }) => name === 'w:p');
  const properties = elementRaw(tokens, last && leading(tokens, last, 'w:pPr'));
  const usable = properties !== '' && !/<w:(?:sectPr|numPr)\b/.test(properties);
  return {
    op: 'ensure',
    // A body may end with a table; a cell may not.
    afterTable: container.name !== 'w:body',
    bytes: Buffer.from(usable ? `<w:p>${properties}</w:p>` : '<w:p></w:p>'),
  };
}
