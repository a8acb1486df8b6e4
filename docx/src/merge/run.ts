import type { AddedList } from '../compile/numbering.ts';
import {
  type Address,
  type Boundary,
  type ColumnRoom,
  type Grid,
  type Op,
  listsWithin,
} from '../compile/ops/ops.ts';
import type { Expression } from '../compile/tags/expression.ts';
import { type Place, TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { fieldOfPath } from '../paths.ts';
import { linkTarget } from '../helpers/link.ts';
import { escapeAttribute } from '../xml/text.ts';
import type { Evaluation } from './args.ts';
import { evaluate, holds, noted } from './evaluate.ts';
import type { Output } from './output.ts';
import { notAList } from './lists.ts';
import { printed } from './printable.ts';
import { type Surrounding, listOf } from './scope.ts';

/** One merge under way, in one part. */
export interface Run extends Evaluation {
  readonly out: Output;
  readonly limits: Limits;
  readonly counters: Counters;
  readonly draw: (op: Extract<Op, { op: 'draw' }>, run: Run) => void;
  /** Gives the id by which the part refers to an address. */
  readonly relate: (target: string) => string;
  /** The structure that was last begun or ended. */
  last: Boundary;
  /** The number of the note under way. */
  noteId: number;
  /** How often each of the counted loops has turned. */
  readonly turns: number[];
  /** The ids of ranges and lists in the turn under way. */
  readonly ranges: number[];
  readonly lists: { turn: number; id: number }[];
  /** How often each group of columns was repeated in the table under way. */
  readonly columns: number[];
  columnCount: number;
  /** Where the last page break paragraph ended. */
  breakEnd: number;
}

/** For the whole document: ids and turns are counted over all parts. */
export interface Counters {
  nextId: number;
  nextListId: number;
  iterations: number;
  /** Lists that began again: each is one more in the numbering part. */
  readonly addedLists: AddedList[];
  /** References to notes that loops have made, each with the data around it. */
  readonly notes: { readonly note: string; readonly id: number; readonly around: Surrounding }[];
}

const APART = Buffer.from(
  '<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/></w:pPr></w:p>',
);

/**
 * Writes a compiled part. The depth of calls is the depth of blocks, which compiling has bounded. What cannot be filled is a
 * problem, and the next tag is tried.
 */
export function run(ops: readonly Op[], on: Run): void {
  for (const op of ops) {
    try {
      write(op, on);
    } catch (thrown) {
      on.problems.note(thrown, fieldOf(op));
    }
  }
}

/** The field that stands in a tag alone, or first. */
function fieldOf(op: Op): string | undefined {
  const asked = 'value' in op ? op.value : op.op === 'draw' ? op.call : undefined;
  const first = asked?.kind === 'call' ? asked.args[0] : asked;
  return first?.kind === 'path' ? fieldOfPath(first.text) : undefined;
}

function write(op: Op, on: Run): void {
  const { out } = on;
  switch (op.op) {
    case 'bytes':
      out.bytes(op.bytes);
      if (op.ends !== undefined) on.last = op.ends;
      break;
    case 'text':
      out.value(bounded(valueText(op.value, on, op.place), on, op.place));
      break;
    case 'plain':
      out.raw(escapeAttribute(plainText(op, on)));
      break;
    case 'draw':
      on.draw(op, on);
      break;
    case 'each':
      runEach(op, on);
      break;
    case 'if':
      runIf(op, on);
      break;
    case 'id':
      out.raw(String(on.counters.nextId++));
      break;
    case 'rangeId':
      if (op.begins) on.ranges[op.range] = on.counters.nextId++;
      out.raw(String((on.ranges[op.range] ??= on.counters.nextId++)));
      break;
    case 'turnName': {
      const turn = on.turns[op.turns] ?? 1;
      out.raw(escapeAttribute(turn === 1 ? op.name : `${op.stem}${turn}`));
      break;
    }
    case 'listId':
      out.raw(listId(op, on));
      break;
    case 'noteReference': {
      const id = on.counters.nextId++;
      on.counters.notes.push({ note: op.note, id, around: on.scope.surrounding() });
      out.raw(String(id));
      break;
    }
    case 'note':
      for (const { note, id, around } of on.counters.notes) {
        if (note !== op.note) continue;
        on.noteId = id;
        on.scope.within(around, () => run(op.body, on));
      }
      break;
    case 'noteId':
      out.raw(String(on.noteId));
      break;
    case 'link':
      runLink(op, on);
      break;
    case 'relation': {
      const target = targetOf(op.address, on, op.place);
      out.raw(target === undefined ? '' : escapeAttribute(on.relate(target)));
      break;
    }
    case 'ensure':
      if (on.last === 'start' || (op.afterTable && on.last === 'table')) {
        out.bytes(op.bytes);
        on.last = 'paragraph';
      }
      break;
    case 'apart':
      if (on.last === 'table') {
        out.bytes(APART);
        on.last = 'paragraph';
      }
      break;
    case 'pageBreak':
      if (op.skips && on.breakEnd === out.position()) break;
      out.bytes(op.bytes);
      on.breakEnd = out.position();
      on.last = 'paragraph';
      break;
    case 'shell':
      runShell(op, on);
      break;
    case 'columnWidth':
      out.raw(`<w:tcW w:w="${Math.floor(op.width / Math.max(1, on.columnCount))}" w:type="dxa"/>`);
      break;
  }
}

function valueText(value: Expression, on: Run, place: Place): string {
  const found = evaluate(value, on, place);
  // Most values are text: a table of 1,000 rows has 6,000.
  return typeof found === 'string' ? found : printed(found, value, on, place);
}

export function bounded(text: string, { limits }: Run, place: Place): string {
  if (text.length > limits.valueLength) {
    throw new TemplateError(
      'value_too_long',
      `A value has more than ${limits.valueLength} characters.`,
      place,
    );
  }
  return text;
}

function plainText({ value, as, place }: Extract<Op, { op: 'plain' }>, on: Run): string {
  const text = bounded(valueText(value, on, place), on, place);
  if (as === 'attribute') return text;
  return instructionText(as === 'address' ? (linkTarget(text) ?? '') : text);
}

/** A value in a Word field's instruction cannot end its quotes nor begin a switch. */
function instructionText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- line breaks and the like would end the instruction
  const plain = text.replace(/["\\{}\u0000-\u001f\u201c\u201d]/g, '').slice(0, 2_000);
  return /^\s*(?:javascript|vbscript|data|file):/i.test(plain) ? '' : plain;
}

/** Where a link leads; undefined when that is neither web, mail nor telephone, which strict merges refuse. */
function targetOf(address: Address, on: Run, place: Place): string | undefined {
  let text = '';
  for (const piece of address) {
    text += typeof piece === 'string' ? piece : valueText(piece, on, place);
  }
  // Word puts a scheme before a tag, and the value brings its own.
  const own = text.replace(/^\s*https?:\/+(?=(?:https?:\/\/|mailto:|tel:))/i, '');
  const target = linkTarget(own);
  if (target === undefined && on.strict && own.trim() !== '') {
    const message = `"${own.slice(0, 80)}" is no address for a link: write https://…, mailto:… or tel:….`;
    throw new TemplateError('bad_value', message, place);
  }
  return target;
}

function runLink({ address, head, body, place }: Extract<Op, { op: 'link' }>, on: Run): void {
  const target = noted(on, () => targetOf(address, on, place));
  if (target === undefined) return run(body, on);
  on.out.raw(`<w:hyperlink r:id="${escapeAttribute(on.relate(target))}"`);
  run(head, on);
  run(body, on);
  on.out.raw('</w:hyperlink>');
}

/** Each turn has a list of its own. */
function listId(op: Extract<Op, { op: 'listId' }>, on: Run): string {
  const { list, turns, numId, keepsFirst } = op;
  const turn = on.turns[turns] ?? 1;
  if (turn === 1 && keepsFirst) return escapeAttribute(numId);
  const known = on.lists[list];
  if (known?.turn === turn) return String(known.id);
  const id = on.counters.nextListId++;
  on.lists[list] = { turn, id };
  on.counters.addedLists.push({ id, of: numId });
  return String(id);
}

function runEach(op: Extract<Op, { op: 'each' }>, on: Run): void {
  const value = evaluate(op.list, on, op.place);
  const list = listOf(value);
  // A value that is no list is an error: printing nothing would give a document that lacks its rows without a word.
  if (list === undefined) throw notAList(op.list.text, value, op.place);
  const count = list.length;
  const { scope, counters, limits } = on;
  const outer = on.columnCount;
  if (op.room) checkRoom(op, op.room, count);
  if (op.column !== undefined) {
    on.columns[op.column] = Math.max(on.columns[op.column] ?? 0, count);
    on.columnCount = count;
  }
  if (count === 0) run(op.otherwise, on);
  else {
    counters.iterations += count;
    if (counters.iterations > limits.iterations) {
      throw new TemplateError(
        'too_many_iterations',
        `The loops of the template turn more than ${limits.iterations} times.`,
        op.place,
      );
    }
    for (let i = 0; i < count; i++) {
      scope.push(list[i], i, count);
      if (op.turns !== undefined) on.turns[op.turns] = (on.turns[op.turns] ?? 0) + 1;
      run(op.body, on);
      scope.pop();
    }
  }
  on.columnCount = outer;
}

/** Twips, about a digit: in less than that beside the margins of its cell, no office shows a text. */
const LEAST_TEXT = 120;
const MM_PER_TWIP = 25.4 / 1440;

/** Columns that share the width of one would show no text without a word: 24 months did. */
function checkRoom(
  { list, body, place }: Extract<Op, { op: 'each' }>,
  { width, margins }: ColumnRoom,
  count: number,
): void {
  const share = width / count;
  if (count < 2 || width === 0 || share >= margins + LEAST_TEXT || !hasText(body)) return;
  const [own, each] = [width, share].map((twips) => (twips * MM_PER_TWIP).toFixed(1));
  throw new TemplateError(
    'bad_value',
    `"${list.text}" has ${count} items, which share the ${own ?? ''} mm of one column: ${each ?? ''} mm each are too narrow for text. ` +
      'Make the column of the template wider, or repeat rows.',
    { ...place, field: fieldOfPath(list.text) },
  );
}

function hasText(ops: readonly Op[]): boolean {
  return ops.some(
    (op) =>
      op.op === 'text' ||
      op.op === 'draw' ||
      (op.op === 'bytes' && op.bytes.includes('</w:t>')) ||
      listsWithin(op).some(hasText),
  );
}

function runIf(op: Extract<Op, { op: 'if' }>, on: Run): void {
  const chosen = op.branches.find(({ test }) => holds(test, on, op.place) !== op.negated);
  if (op.column !== undefined) on.columns[op.column] = chosen ? 1 : (on.columns[op.column] ?? 0);
  run(chosen ? chosen.body : op.otherwise, on);
}

function runShell(op: Extract<Op, { op: 'shell' }>, on: Run): void {
  const { out, last } = on;
  const start = out.position();
  if (op.grid) for (const { slot } of op.grid.repeated) on.columns[slot] = 0;
  run(op.head, on);
  const inside = out.position();
  run(op.body, on);
  if (on.last !== 'row' && on.last !== 'cell') {
    out.rewind(start);
    on.last = last;
    return;
  }
  if (op.grid) out.insert(inside, gridXml(op.grid, on.columns));
  run(op.tail, on);
}

/** Repeated columns share the width of the ones in the template, so the table keeps its own. */
function gridXml({ widths, repeated }: Grid, columns: readonly number[]): string {
  let xml = '';
  for (let at = 0; at < widths.length; at++) {
    const group = repeated.find(({ from }) => from === at);
    if (group === undefined) xml += `<w:gridCol w:w="${widths[at] ?? 0}"/>`;
    else {
      const count = columns[group.slot] ?? 0;
      for (let turn = 0; turn < count; turn++) {
        for (const width of widths.slice(at, at + group.span)) {
          xml += `<w:gridCol w:w="${Math.floor(width / count)}"/>`;
        }
      }
      at += group.span - 1;
    }
  }
  return `<w:tblGrid>${xml}</w:tblGrid>`;
}
