// What a transaction may use up, and what it has used. Who uses more is stopped, whatever it catches ("Execution Governors
// and Limits", synchronous).

/** A statement is taken for 10 µs, so that a result does not depend on the machine. */
export const STATEMENTS_PER_MS = 100;

export const LIMITS = {
  queries: 100,
  queryRows: 50_000,
  dml: 150,
  dmlRows: 10_000,
  queueables: 50,
  emails: 10,
  heap: 6_000_000,
  /** 10 s of CPU. */
  statements: 10_000 * STATEMENTS_PER_MS,
};

/** @type {Record<keyof typeof LIMITS, (used: number) => string>} */
const SAID = {
  queries: (used) => `Too many SOQL queries: ${used}`,
  queryRows: (used) => `Too many query rows: ${used}`,
  dml: (used) => `Too many DML statements: ${used}`,
  dmlRows: (used) => `Too many DML rows: ${used}`,
  queueables: (used) => `Too many queueable jobs added to the queue: ${used}`,
  emails: (used) => `Too many email invocations: ${used}`,
  heap: (used) => `Apex heap size too large: ${used}`,
  statements: () => 'Apex CPU time limit exceeded',
};

/** System.LimitException: no `catch` takes it, and no `finally` runs. */
export class LimitExceeded extends Error {
  type = 'LimitException';
}

export function createLimits() {
  const used = {
    queries: 0,
    queryRows: 0,
    dml: 0,
    dmlRows: 0,
    queueables: 0,
    emails: 0,
    heap: 0,
    statements: 0,
  };
  return {
    used,
    /** @param {keyof typeof LIMITS} what @param {number} [count] */
    spend(what, count = 1) {
      used[what] += count;
      if (used[what] > LIMITS[what]) throw new LimitExceeded(SAID[what](used[what]));
    },
    /** @param {number} bytes */
    heapIs(bytes) {
      used.heap = bytes;
      if (bytes > LIMITS.heap) throw new LimitExceeded(SAID.heap(bytes));
    },
  };
}
