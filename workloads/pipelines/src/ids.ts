/** People see a word and a number: `pipe-7`. */
export function runIdOf(seq: number): string {
  return `pipe-${seq}`;
}

/** Null for what is no such id. */
export function seqOf(id: string): number | null {
  const [, digits] = /^pipe-([1-9]\d{0,14})$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}
