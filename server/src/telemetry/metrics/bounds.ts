import { METRICS, type MetricName } from './metrics.ts';

/**
 * Keeps the number of time series small, whatever happens: each is memory here for as long as the process lives,
 * and money where they are kept.
 */
export interface Bounds {
  /** Gives these kinds their own series from now on. */
  know(kinds: Iterable<string>): void;
  kinds(): readonly string[];
  /** The value that is exported for the given one: itself, or `other`. */
  valueOf(attribute: string, given: string): string;
  /** Grows when a given value may be exported as another one than before. */
  edition(): number;
}

/** The series of one metric. */
export interface Family<Series> {
  /** Called for every job, so it allocates only for a new series. */
  find(given: Attributes): Series;
  all(): Iterable<Series>;
}

export type Attributes = Readonly<Record<string, string>>;

export const MOST_SERIES = 1_000;
export const MOST_REASONS = 50;
/** In place of values that are not known, or too many. */
export const OTHER = 'other';

const MOST_ATTEMPTS = 10;
const LONGEST_VALUE = 200;
/** As error codes are written. A sentence, or something with an id in it, is no code. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,59}$/;

export function createBounds(): Bounds {
  const known = new Set<string>();
  const reasons = new Set<string>();
  let edition = 0;

  const rules: Readonly<Record<string, (value: string) => string>> = {
    kind: (kind) => (known.has(kind) ? kind : OTHER),
    reason(reason) {
      if (reasons.has(reason)) return reason;
      if (reasons.size >= MOST_REASONS || !CODE.test(reason)) return OTHER;
      reasons.add(reason);
      return reason;
    },
    attempt: (attempt) => (Number(attempt) < MOST_ATTEMPTS ? attempt : `${MOST_ATTEMPTS}+`),
  };

  return {
    know(kinds) {
      for (const kind of kinds) known.add(kind);
      edition += 1;
    },
    kinds: () => [...known],
    valueOf: (attribute, given) => (rules[attribute]?.(given) ?? given).slice(0, LONGEST_VALUE),
    edition: () => edition,
  };
}

type Shortcut<Series> = Map<string, Shortcut<Series> | Series>;

export function createFamily<Series extends object>(
  name: MetricName,
  bounds: Bounds,
  make: (attributes: Attributes) => Series,
): Family<Series> {
  const names: readonly string[] = METRICS[name].attributes;
  const series = new Map<string, Series>();
  // From value to value, as they were given: a key for each lookup would be a string for each job.
  const shortcuts: Shortcut<Series> = new Map();
  let edition = bounds.edition();
  let found = 0;

  function find(given: Attributes): Series {
    if (edition !== bounds.edition()) forget();
    let at: Shortcut<Series> | Series | undefined = names.length === 0 ? series.get('') : shortcuts;
    for (const attribute of names) {
      at = (at as Shortcut<Series>).get(given[attribute] ?? '');
      if (at === undefined) break;
    }
    return (at as Series | undefined) ?? look(given);
  }

  function look(given: Attributes): Series {
    const wanted = names.map((each) => bounds.valueOf(each, String(given[each])));
    const full = series.size >= MOST_SERIES - 1 && !series.has(keyOf(wanted));
    const told = full ? names.map(() => OTHER) : wanted;
    const key = keyOf(told);
    const there =
      series.get(key) ?? make(Object.fromEntries(names.map((each, n) => [each, told[n] ?? OTHER])));
    series.set(key, there);
    if (names.length > 0) remember(given, there);
    return there;
  }

  function remember(given: Attributes, there: Series): void {
    found += 1;
    if (found > MOST_SERIES * 2) forget();
    let at = shortcuts;
    for (const attribute of names.slice(0, -1)) {
      const value = given[attribute] ?? '';
      const next = (at.get(value) as Shortcut<Series> | undefined) ?? new Map();
      at.set(value, next);
      at = next;
    }
    at.set(given[names.at(-1) ?? ''] ?? '', there);
  }

  function forget(): void {
    shortcuts.clear();
    found = 0;
    edition = bounds.edition();
  }

  return { find, all: () => series.values() };
}

function keyOf(values: readonly string[]): string {
  return values.join('\u0000');
}
