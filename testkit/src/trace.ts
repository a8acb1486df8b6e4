import { createHash } from 'node:crypto';

/** A trace of what happened, line by line. The hash is always kept; the lines only when someone will read them. */
export interface Trace {
  /** `who` is a process, `what` happened there. */
  add(who: string, what: string): void;
  readonly lines: readonly string[];
  hash(): string;
}

export function createTrace(params: { now: () => number; keep: boolean }): Trace {
  const { now, keep } = params;
  const digest = createHash('sha256');
  const lines: string[] = [];
  // Fed to the digest by the page: its cost is per call, not per byte.
  let page = '';
  return {
    lines,
    add(who, what) {
      const line = `${(now() / 1_000).toFixed(4).padStart(10)} ${who.padEnd(8)} ${what}`;
      if (keep) lines.push(line);
      page += `${line}\n`;
      if (page.length < 16_384) return;
      digest.update(page);
      page = '';
    },
    hash: () => digest.copy().update(page).digest('hex'),
  };
}
