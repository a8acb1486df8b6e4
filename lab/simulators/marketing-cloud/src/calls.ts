/** Requests by operation: `soap:Retrieve AsyncActivityStatus`, `rest:isrunning`, `auth:token`. */
export interface Calls {
  /** All since the start that reached the server, tokens left out. */
  readonly total: number;
  readonly byOperation: Readonly<Record<string, number>>;
  readonly tokens: number;
}

export interface CallCounter {
  readonly calls: Calls;
  count(entry: CallEntry): void;
  /** The newest first. */
  last(): readonly CallEntry[];
}

export interface CallEntry {
  readonly at: number;
  readonly operation: string;
  /** Empty: no token was looked at. */
  readonly mid: string;
  /** Null: the connection was cut. */
  readonly status: number | null;
}

export const TOKEN_OPERATION = 'auth:token';
const MOST_KEPT = 500;

export function createCalls(): CallCounter {
  const byOperation: Record<string, number> = {};
  const entries: CallEntry[] = [];
  let total = 0;
  return {
    calls: {
      get total() {
        return total - (byOperation[TOKEN_OPERATION] ?? 0);
      },
      byOperation,
      get tokens() {
        return byOperation[TOKEN_OPERATION] ?? 0;
      },
    },
    count(entry) {
      total += 1;
      byOperation[entry.operation] = (byOperation[entry.operation] ?? 0) + 1;
      entries.push(entry);
      if (entries.length > MOST_KEPT) entries.shift();
    },
    last: () => entries.toReversed(),
  };
}
