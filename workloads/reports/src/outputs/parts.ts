import type { ByteRange } from './types.ts';

/** Some bytes from the beginning of a file that an execution has written. */
export interface Part {
  readonly name: string;
  readonly bytes: number;
}

interface InParts extends Part {
  /** Of earlier executions, in order; the file itself has what comes behind them. */
  readonly before?: readonly Part[] | undefined;
}

/** A run that is interrupted more often than this copies what there is once more. */
export const MOST_PARTS = 20;

/** `bytes` of a place are those of the whole. */
export function partsOf({ name, bytes, before = [] }: InParts): readonly Part[] {
  return [...before, { name, bytes: bytes - bytesOf(before) }];
}

export function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.bytes, 0);
}

/** As a place says it: nothing where there is only one file. */
export function behind(parts: readonly Part[]): { readonly before?: readonly Part[] } {
  return parts.length === 0 ? {} : { before: parts };
}

/** What a range of the whole is in each part, also where it is nothing: a part that is gone is noticed. */
export function rangesIn(
  parts: readonly Part[],
  { from, to }: ByteRange,
): { readonly part: Part; readonly isLast: boolean; readonly range: ByteRange }[] {
  let begin = 0;
  return parts.map((part, at) => {
    const within = (place: number) => Math.min(Math.max(place - begin, 0), part.bytes);
    const range = { from: within(from), to: within(to) };
    begin += part.bytes;
    return { part, isLast: at === parts.length - 1, range };
  });
}
