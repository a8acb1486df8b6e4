export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  readonly size: number;
}

interface Limits {
  readonly most: number;
  readonly lifetimeMs: number;
  readonly now: () => number;
}

/**
 * A map for things that people started and may never end: entries leave after their time, and the oldest leaves when
 * there are too many. All live equally long, so the order of arrival is the order of expiry.
 */
export function createBoundedMap<Value>({ most, lifetimeMs, now }: Limits): BoundedMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();

  function makeRoom(): void {
    for (const [key, { until }] of entries) {
      if (until > now() && entries.size < most) return;
      entries.delete(key);
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      return entry === undefined || entry.until <= now() ? undefined : entry.value;
    },
    set(key, value) {
      entries.delete(key);
      makeRoom();
      entries.set(key, { value, until: now() + lifetimeMs });
    },
    delete(key) {
      entries.delete(key);
    },
    get size() {
      return entries.size;
    },
  };
}
