/** Randomness from a seed, so that everything drawn from it can be drawn again. */
export interface Dice {
  /** From 0 (included) to 1 (excluded): what the engine takes as `Random`. */
  next(): number;
  chance(probability: number): boolean;
  /** A real number from `low` to `high`. */
  between(low: number, high: number): number;
  /** A whole number, both ends included. */
  integer(low: number, high: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** Each with the given probability, in their order. */
  some<T>(choices: readonly T[], probability: number): T[];
  /** Dice of their own: what is drawn there does not shift what is drawn here. */
  fork(name: string): Dice;
}

export function createDice(seed: number | string): Dice {
  const name = String(seed);
  const next = sfc32(hash(`${name}/a`), hash(`${name}/b`), hash(`${name}/c`));
  const integer = (low: number, high: number): number =>
    low + Math.floor(next() * (high - low + 1));
  return {
    next,
    chance: (probability) => next() < probability,
    between: (low, high) => low + next() * (high - low),
    integer,
    pick: (choices) => choices[integer(0, choices.length - 1)] ?? choices[0],
    some: (choices, probability) => choices.filter(() => next() < probability),
    fork: (child) => createDice(`${name}/${child}`),
  };
}

/** Chris Doty-Humphrey's small fast counter: 128 bits of state, passes PractRand, four additions a number. */
function sfc32(a: number, b: number, c: number): () => number {
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next(); // its author's advice: the first numbers still show the seed
  return next;
}

/** FNV-1a with a final mix: neighbouring seeds must not give neighbouring states. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}
