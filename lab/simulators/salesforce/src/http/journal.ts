/** The last requests, for people who look inside. */
export interface Entry {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Null: the connection was cut. */
  readonly status: number | null;
  /** The calls that it counted for. */
  readonly calls: number;
}

export interface Journal {
  add(entry: Entry): void;
  /** The newest first. */
  list(): readonly Entry[];
}

const MOST = 500;

export function createJournal(): Journal {
  const entries: Entry[] = [];
  return {
    add(entry) {
      entries.push(entry);
      if (entries.length > MOST) entries.shift();
    },
    list: () => entries.toReversed(),
  };
}
