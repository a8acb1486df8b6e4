import type { Op } from './ops.ts';

/**
 * Gathers text until something the data decides comes, and turns it into bytes then. Lists within lists: a block
 * opens one and takes it back when it ends.
 */
export interface Builder {
  text(raw: string): void;
  add(op: Op): void;
  open(): void;
  close(): Op[];
}

/** A run without anything in it: the rest of a tag that was spread over several runs. */
const EMPTY_RUN =
  /<w:r>(?:<w:rPr\/>|<w:rPr>(?:(?!<\/?w:rPr>)[^])*<\/w:rPr>)?(?:<w:t(?: xml:space="preserve")?>(?:<\/w:t>)|<w:t\/>)?<\/w:r>/g;

export function createBuilder(): Builder {
  const stack: Op[][] = [[]];
  let pending: string[] = [];
  const flush = () => {
    if (pending.length === 0) return;
    const text = pending.join('').replace(EMPTY_RUN, '');
    pending = [];
    if (text !== '') stack.at(-1)?.push({ op: 'bytes', bytes: Buffer.from(text) });
  };
  return {
    text: (raw) => {
      if (raw !== '') pending.push(raw);
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
