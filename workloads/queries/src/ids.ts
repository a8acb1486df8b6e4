/** People see a word and a number: `run-7`. */
export function runIdOf(seq: number): string {
  return `run-${seq}`;
}

/** Null for what is no such id. */
export function seqOf(id: string): number | null {
  const [, digits] = /^run-([1-9]\d{0,14})$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}
