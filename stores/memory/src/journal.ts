/**
 * Tables that can take a change back. A verb that throws half-way must leave nothing behind, as a
 * database transaction would, and the code of the verbs should not have to think of it.
 */
export interface Journal {
  table<K, V>(): Table<K, V>;
  /** Runs `body`; if it throws, every table is as it was before. */
  atomically<T>(body: () => T): T;
  /** Copies every table; the returned function restores them. */
  snapshot(): () => void;
}

/** Rows are replaced, never changed in place: that is what makes taking back so simple. */
export interface Table<K, V> {
  get(key: K): V | undefined;
  set(key: K, row: V): void;
  delete(key: K): void;
  /** In no order that a caller may rely on: what was deleted and taken back comes last. */
  values(): IterableIterator<V>;
}

export function createJournal(): Journal {
  const undo: (() => void)[] = [];
  const snapshots: (() => () => void)[] = [];

  function table<K, V>(): Table<K, V> {
    let rows = new Map<K, V>();
    snapshots.push(() => {
      const then = new Map(rows);
      return () => void (rows = new Map(then));
    });

    function remember(key: K): void {
      const before = rows.get(key);
      undo.push(before === undefined ? () => rows.delete(key) : () => rows.set(key, before));
    }

    return {
      get: (key) => rows.get(key),
      set(key, row) {
        remember(key);
        rows.set(key, row);
      },
      delete(key) {
        remember(key);
        rows.delete(key);
      },
      values: () => rows.values(),
    };
  }

  function atomically<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      for (const undoOne of undo.toReversed()) undoOne();
      throw error;
    } finally {
      undo.length = 0;
    }
  }

  function snapshot(): () => void {
    const restores = snapshots.map((take) => take());
    return () => {
      for (const restore of restores) restore();
    };
  }

  return { table, atomically, snapshot };
}
