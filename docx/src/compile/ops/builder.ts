import type { Boundary, Op } from './ops.ts';

/**
 * Gathers text until something the data decides comes, and turns it into bytes then. Lists within lists: a block
 * opens one and takes it back when it ends.
 */
export interface Builder {
  text(raw: string, ends?: Boundary): void;
  add(op: Op): void;
  open(): void;
  close(): Op[];
}

/** A run without anything in it: the rest of a tag that was spread over several runs. */
const EMPTY_RUN =
  /<w:r\/>|<w:r>(?:<w:rPr\/>|<w:rPr>(?:(?!<\/?w:rPr>)[^])*<\/w:rPr>)?(?:<w:t(?: xml:space="preserve")?>(?:<\/w:t>)|<w:t\/>)?<\/w:r>/g;

export function createBuilder(): Builder {
  const stack: Op[][] = [[]];
  let pending: string[] = [];
  let lastEnds: Boundary | undefined;
  const flush = () => {
    if (pending.length === 0) return;
    const text = pending.join('').replace(EMPTY_RUN, '');
    const ends = lastEnds;
    pending = [];
    lastEnds = undefined;
    if (text !== '') stack.at(-1)?.push({ op: 'bytes', bytes: Buffer.from(text), ends });
  };
  return {
    text: (raw, ends) => {
      if (raw !== '') pending.push(raw);
      lastEnds = ends ?? lastEnds;
    },
    add: (op) => {
      flush();
      stack.at(-1)?.push(op);
    },
    open: () => {
      flush();
      stack.push([]);
    },
    close: () => {
      flush();
      return stack.pop() ?? [];
    },
  };
}
