/** SQL that gives the same values for the same number, seed and purpose, on every Postgres: no random(), no clock. */
export interface Expressions {
  /** A number from 0 to `count` - 1. */
  pick(of: string, purpose: number, count: number): string;
  oneOf(of: string, purpose: number, texts: readonly string[]): string;
  /** A text now and then, else NULL. */
  seldom(of: string, purpose: number, every: number, texts: readonly string[]): string;
}

export function expressions(seed: number): Expressions {
  const pick: Expressions['pick'] = (of, purpose, count) =>
    `(((hashint8extended(${of}, ${seed * 1_000 + purpose}) >> 20) & 1073741823) % ${count})::int`;
  const oneOf: Expressions['oneOf'] = (of, purpose, texts) =>
    `(ARRAY[${texts.map(literal).join(',')}])[1 + ${pick(of, purpose, texts.length)}]`;
  return {
    pick,
    oneOf,
    seldom: (of, purpose, every, texts) =>
      `CASE WHEN ${pick(of, purpose, every)} = 0 THEN ${oneOf(of, purpose + 1, texts)} END`,
  };
}

/** Of our own words only; with standard_conforming_strings on, a backslash is one. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
