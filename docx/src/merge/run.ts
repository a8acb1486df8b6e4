import type { Grid, Op } from '../compile/ops.ts';
import { type Place, TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { type Evaluation, evaluate } from './evaluate.ts';
import type { Output } from './output.ts';
import { isTruthy, listOf, textOf } from './scope.ts';

/** One merge under way, in one part. */
export interface Run extends Evaluation {
  readonly out: Output;
  readonly limits: Limits;
  readonly counters: Counters;
  readonly draw: (op: Extract<Op, { op: 'draw' }>, run: Run) => void;
  readonly written: Set<number>;
  /** How often each group of columns was repeated in the table under way. */
  readonly columns: number[];
  columnCount: number;
  /** Where the last page break paragraph ended. */
  breakEnd: number;
}

/** For the whole document: ids and turns are counted over all parts. */
export interface Counters {
  nextId: number;
  iterations: number;
}

const TABLE_END = Buffer.from('</w:tbl>');
const APART = Buffer.from(
  '<w:p><w:pPr><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/></w:pPr></w:p>',
);

/** Writes a compiled part. The depth of calls is the depth of blocks, which compiling has bounded. */
export function run(ops: readonly Op[], on: Run): void {
  const { out } = on;
  for (const op of ops) {
    switch (op.op) {
      case 'bytes':
        out.bytes(op.bytes);
        break;
      case 'text':
        out.value(bounded(textOf(evaluate(op.value, on, op.place)), on, op.place));
        break;
      case 'instruction':
        out.value(instructionText(textOf(evaluate(op.value, on, op.place))));
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
      case 'once':
        if (!on.written.has(op.slot)) out.bytes(op.bytes);
        on.written.add(op.slot);
        break;
      case 'ensure':
        if (op.after.some((bytes) => out.endsWith(bytes))) out.bytes(op.bytes);
        break;
      case 'apart':
        if (out.endsWith(TABLE_END)) out.bytes(APART);
        break;
      case 'pageBreak':
        if (op.skips && on.breakEnd === out.position()) break;
        out.bytes(op.bytes);
        on.breakEnd = out.position();
        break;
      case 'shell':
        runShell(op, on);
        break;
      case 'columnWidth':
        out.raw(
          `<w:tcW w:w="${Math.floor(op.width / Math.max(1, on.columnCount))}" w:type="dxa"/>`,
        );
        break;
    }
  }
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

/** A value in a Word field's instruction cannot end its quotes nor begin a switch. */
function instructionText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- line breaks and the like would end the instruction
  const plain = text.replace(/["\\{}\u0000-\u001f\u201c\u201d]/g, '').slice(0, 2_000);
  return /^\s*(?:javascript|vbscript|data|file):/i.test(plain) ? '' : plain;
}

function runEach(op: Extract<Op, { op: 'each' }>, on: Run): void {
  const value = evaluate(op.list, on, op.place);
  const list = listOf(value);
  if (list === undefined && on.strict) {
    throw new TemplateError('not_a_list', `"${op.list.text}" is not a list.`, op.place);
  }
  const count = list?.length ?? 0;
  const { scope, counters, limits } = on;
  const outer = on.columnCount;
  if (op.column !== undefined) {
    on.columns[op.column] = Math.max(on.columns[op.column] ?? 0, count);
    on.columnCount = count;
  }
  if (list === undefined || count === 0) run(op.otherwise, on);
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
      run(op.body, on);
      scope.pop();
    }
  }
  on.columnCount = outer;
}

function runIf(op: Extract<Op, { op: 'if' }>, on: Run): void {
  const chosen = op.branches.find(
    ({ test }) => isTruthy(evaluate(test, on, undefined)) !== op.negated,
  );
  if (op.column !== undefined) on.columns[op.column] = chosen ? 1 : (on.columns[op.column] ?? 0);
  run(chosen ? chosen.body : op.otherwise, on);
}

function runShell(op: Extract<Op, { op: 'shell' }>, on: Run): void {
  const { out } = on;
  const start = out.position();
  if (op.grid) for (const { slot } of op.grid.repeated) on.columns[slot] = 0;
  run(op.head, on);
  const inside = out.position();
  run(op.body, on);
  if (out.position() === inside) {
    out.rewind(start);
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
