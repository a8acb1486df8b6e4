import { setTimeout as wait } from 'node:timers/promises';
import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';

/** Every third fails, and is tried again. */
export const sync = defineJob({
  kind: 'warehouse.sync',
  input: z.object({ region: z.enum(['north', 'south', 'east']), rows: z.int().min(1) }),
  public: true,
  async run({ data }, { signal }) {
    await wait(300, undefined, { signal });
    if (data.rows % 3 === 0) throw new Error('Too many sessions: 40 of 40 are taken (503)');
    return done({ rows: data.rows });
  },
});

/** Runs as long as the pictures are taken. */
export const ledger = defineJob({
  kind: 'ledger.export',
  input: z.object({ chunks: z.int().min(1) }),
  public: true,
  async *run({ data, cursor }, { signal }) {
    for (let chunk = Number(cursor ?? 0) + 1; chunk <= data.chunks; chunk++) {
      await wait(700, undefined, { signal });
      yield { cursor: chunk, progress: { done: chunk, total: data.chunks } };
    }
    return done('written');
  },
});

/** Held back by a pause. */
export const county = defineJob({
  kind: 'county.load',
  input: z.object({ county: z.int().min(1) }),
  public: true,
  async run() {
    return done('loaded');
  },
});
