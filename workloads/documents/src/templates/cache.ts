/**
 * Compiled templates by version id. A version never changes, so nothing here ever goes stale: only room runs out,
 * and then the one that was not used for longest goes.
 */
export interface TemplateCacheStats {
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  /** Bytes. */
  readonly currentSize: number;
  readonly entryCount: number;
}

export interface TemplateCache<T> {
  /** Those who ask for the same one at the same time wait for one loading. */
  get(id: string, load: () => Promise<T>): Promise<{ value: T; hit: boolean }>;
  forget(id: string): void;
  stats(): TemplateCacheStats;
}

export const TEMPLATE_CACHE_BYTES = 500 * 1024 * 1024;

export function createTemplateCache<T>(params: {
  sizeOf: (value: T) => number;
  maxBytes?: number;
  onEviction?: () => void;
}): TemplateCache<T> {
  const { sizeOf, maxBytes = TEMPLATE_CACHE_BYTES, onEviction } = params;
  // A Map keeps the order of insertion: the first is the one that was not used for longest.
  const entries = new Map<string, { value: T; size: number }>();
  const loading = new Map<string, Promise<T>>();
  let hits = 0;
  let misses = 0;
  let evictions = 0;
  let currentSize = 0;

  function keep(id: string, value: T): void {
    const size = sizeOf(value);
    // One that is larger than the whole cache would only push out all others.
    if (size > maxBytes) return;
    drop(id);
    entries.set(id, { value, size });
    currentSize += size;
    for (const oldest of entries.keys()) {
      if (currentSize <= maxBytes) break;
      drop(oldest);
      evictions += 1;
      onEviction?.();
    }
  }

  function drop(id: string): void {
    currentSize -= entries.get(id)?.size ?? 0;
    entries.delete(id);
  }

  function begin(id: string, load: () => Promise<T>): Promise<T> {
    const started = load().then(
      (value) => {
        // If the template was removed while it was loaded, those who wait get it, but it is not kept for later.
        if (loading.get(id) === started) {
          loading.delete(id);
          keep(id, value);
        }
        return value;
      },
      (error: unknown) => {
        if (loading.get(id) === started) loading.delete(id);
        throw error;
      },
    );
    loading.set(id, started);
    return started;
  }

  return {
    async get(id, load) {
      const entry = entries.get(id);
      if (entry !== undefined) {
        hits += 1;
        entries.delete(id);
        entries.set(id, entry);
        return { value: entry.value, hit: true };
      }
      const under = loading.get(id);
      if (under !== undefined) {
        const value = await under;
        hits += 1;
        return { value, hit: true };
      }
      misses += 1;
      return { value: await begin(id, load), hit: false };
    },
    forget(id) {
      loading.delete(id);
      drop(id);
    },
    stats: () => ({ hits, misses, evictions, currentSize, entryCount: entries.size }),
  };
}
