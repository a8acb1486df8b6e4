import { Refusal } from './refusal.ts';

export interface ByteRange {
  readonly from: number;
  /** The first byte after the range. */
  readonly to: number;
}

/** One range of bytes; null for the whole. Several at once, and other units, are answered with the whole. */
export function rangeOf(header: string | undefined, size: number): ByteRange | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (from >= size || to <= from) {
    throw new Refusal('invalid_range', `There is no such range: the file has ${size} bytes.`);
  }
  return { from, to };
}
