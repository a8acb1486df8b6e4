import type { Place } from '../errors.ts';
import type { Expression, PathExpression } from './expression.ts';

/** The run around a tag: what a helper needs to close it and open it again. */
export interface RunContext {
  readonly properties: string;
  /** Its paragraph can be ended and begun again: the run is not inside a link or content control. */
  readonly splits: boolean;
  readonly inLink: boolean;
  readonly paragraphProperties: string;
}

/** A compiled part: bytes to copy, and what the data decides. */
export type Op =
  | { readonly op: 'bytes'; readonly bytes: Buffer }
  | { readonly op: 'text'; readonly value: Expression; readonly place: Place }
  | { readonly op: 'instruction'; readonly value: Expression; readonly place: Place }
  | {
      readonly op: 'draw';
      readonly helper: string;
      readonly call: Extract<Expression, { kind: 'call' }>;
      readonly run: RunContext;
      readonly place: Place;
    }
  | {
      readonly op: 'each';
      readonly list: PathExpression;
      readonly body: readonly Op[];
      readonly otherwise: readonly Op[];
      /** Which columns of its table it repeats. */
      readonly column: number | undefined;
      readonly place: Place;
    }
  | {
      readonly op: 'if';
      readonly branches: readonly { readonly test: Expression; readonly body: readonly Op[] }[];
      readonly negated: boolean;
      readonly otherwise: readonly Op[];
      readonly column: number | undefined;
      readonly place: Place;
    }
  /** A number that no other element of the document has. */
  | { readonly op: 'id' }
  /** Only the first time: a bookmark in a loop. */
  | { readonly op: 'once'; readonly slot: number; readonly bytes: Buffer }
  /** A paragraph, when what was just written is not followed by one as it must be. */
  | { readonly op: 'ensure'; readonly after: readonly Buffer[]; readonly bytes: Buffer }
  /** A thin paragraph between two tables, which Word would join otherwise. */
  | { readonly op: 'apart' }
  /** A page break in its own paragraph; skipped when another one was written just before it. */
  | { readonly op: 'pageBreak'; readonly bytes: Buffer; readonly skips: boolean }
  /** A table or a row: nothing of it is written when its body writes nothing. */
  | {
      readonly op: 'shell';
      readonly head: readonly Op[];
      readonly body: readonly Op[];
      readonly tail: readonly Op[];
      readonly grid: Grid | undefined;
    }
  | { readonly op: 'columnWidth'; readonly width: number };

/** The column widths of a table in which blocks repeat columns. */
export interface Grid {
  readonly widths: readonly number[];
  readonly repeated: readonly {
    readonly slot: number;
    readonly from: number;
    readonly span: number;
  }[];
}

/** Bytes that an op tree holds, for a cache that counts them. */
export function sizeOf(ops: readonly Op[]): number {
  let size = 0;
  const queue: (readonly Op[])[] = [ops];
  for (let list = queue.pop(); list !== undefined; list = queue.pop()) {
    for (const op of list) {
      size += 100; // the object itself, about
      if ('bytes' in op) size += op.bytes.length;
      if (op.op === 'each') queue.push(op.body, op.otherwise);
      if (op.op === 'if') queue.push(op.otherwise, ...op.branches.map(({ body }) => body));
      if (op.op === 'shell') queue.push(op.head, op.body, op.tail);
    }
  }
  return size;
}
