import type { Place } from '../../errors.ts';
import type { Expression, PathExpression } from '../tags/expression.ts';

/** The run around a tag: what a helper needs to close it and open it again. */
export interface RunContext {
  readonly properties: string;
  /** Its paragraph can be ended and begun again: the run is not inside a link or content control. */
  readonly splits: boolean;
  readonly inLink: boolean;
  readonly paragraphProperties: string;
}

/**
 * The structure of a document that was last begun or ended: a container, table or row began (`start`), or a paragraph,
 * table, cell or row ended. It decides what still has to be written, whatever else stands in between.
 */
export type Boundary = 'start' | 'paragraph' | 'table' | 'cell' | 'row';

/** An address of words and values. */
export type Address = readonly (string | Expression)[];

/** A compiled part: bytes to copy, and what the data decides. */
export type Op =
  | { readonly op: 'bytes'; readonly bytes: Buffer; readonly ends: Boundary | undefined }
  | { readonly op: 'text'; readonly value: Expression; readonly place: Place }
  /** A value outside of the text: in an attribute, in the instruction of a field, or as a field's address. */
  | {
      readonly op: 'plain';
      readonly value: Expression;
      readonly as: 'attribute' | 'instruction' | 'address';
      readonly place: Place;
    }
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
      /** The columns of its table that it repeats. */
      readonly column: number | undefined;
      readonly room: ColumnRoom | undefined;
      /** Where its turns are counted, when something in it has a name or number of its own. */
      readonly turns: number | undefined;
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
  /** A link whose address the data decides. Without a good one, only what is in it is written. */
  | {
      readonly op: 'link';
      readonly address: Address;
      /** Its other attributes, and the end of its tag. */
      readonly head: readonly Op[];
      readonly body: readonly Op[];
      readonly place: Place;
    }
  /** The relationship to such an address, or nothing. */
  | { readonly op: 'relation'; readonly address: Address; readonly place: Place }
  /** A number that no other element of the document has. */
  | { readonly op: 'id' }
  /** The same for the two ends of a bookmark or permission. */
  | { readonly op: 'rangeId'; readonly range: number; readonly begins: boolean }
  /** A bookmark's name in this turn of its loop: as in the template in the first, with a number after. */
  | {
      readonly op: 'turnName';
      readonly turns: number;
      readonly name: string;
      readonly stem: string;
    }
  /** A list's number in this turn of the loop that restarts it. */
  | {
      readonly op: 'listId';
      readonly list: number;
      readonly turns: number;
      readonly numId: string;
      /** The first turn keeps the template's own list. */
      readonly keepsFirst: boolean;
    }
  /** The reference to a note, which each turn of a loop has for itself. */
  | { readonly op: 'noteReference'; readonly note: string }
  /** A note once for each reference to it, with the data of that turn. */
  | { readonly op: 'note'; readonly note: string; readonly body: readonly Op[] }
  /** The number of the note under way. */
  | { readonly op: 'noteId' }
  /** A paragraph, when the container has none yet, or ends with a table and may not. */
  | { readonly op: 'ensure'; readonly afterTable: boolean; readonly bytes: Buffer }
  /** A thin paragraph between two tables, which Word would join otherwise. */
  | { readonly op: 'apart' }
  /** A page break in its own paragraph; skipped when another one was written just before it. */
  | { readonly op: 'pageBreak'; readonly bytes: Buffer; readonly skips: boolean }
  /** A table or a row: nothing of it is written when its body has no row or cell. */
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

/** The width that a column that is repeated can share, in twips. */
export interface ColumnRoom {
  /** Its width in the template; of several columns the narrowest. */
  readonly width: number;
  /** The width that the margins of a cell take of a column. */
  readonly margins: number;
}

/** The lists of ops within an op. */
export function listsWithin(op: Op): (readonly Op[])[] {
  switch (op.op) {
    case 'each':
      return [op.body, op.otherwise];
    case 'if':
      return [op.otherwise, ...op.branches.map(({ body }) => body)];
    case 'note':
      return [op.body];
    case 'link':
      return [op.head, op.body];
    case 'shell':
      return [op.head, op.body, op.tail];
    default:
      return [];
  }
}

/** Bytes that an op tree holds, for a cache that counts them. */
export function sizeOf(ops: readonly Op[]): number {
  let size = 0;
  const queue: (readonly Op[])[] = [ops];
  for (let list = queue.pop(); list !== undefined; list = queue.pop()) {
    for (const op of list) {
      size += 100; // the object itself, about
      if ('bytes' in op) size += op.bytes.length;
      queue.push(...listsWithin(op));
    }
  }
  return size;
}
