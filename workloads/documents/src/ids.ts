/** People see a word and a number: `tpl-7`, `file-12`, `batch-3`. */
export type Word = 'tpl' | 'file' | 'batch';

export function idOf(word: Word, seq: number): string {
  return `${word}-${seq}`;
}

/** Null for what is no such id. */
export function seqOf(word: Word, id: string): number | null {
  const digits = id.startsWith(`${word}-`) ? id.slice(word.length + 1) : '';
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : null;
}
