import { describe, it } from 'vitest';
import type { PostgresStore } from '../../src/store.ts';

/** A fresh, empty database, as the store contract has it. */
export interface ServiceHarness {
  open(): Promise<PostgresStore>;
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceWorld {
  readonly store: PostgresStore;
  open(): Promise<PostgresStore>;
  several(count: number): Promise<PostgresStore[]>;
  advance(ms: number): Promise<void>;
}

export type ServiceCheck = (title: string, body: (world: ServiceWorld) => Promise<void>) => void;

/** The parts of a database that the server needs beyond the port of the engine. */
export function describeService(
  title: string,
  start: () => Promise<ServiceHarness>,
  checks: (check: ServiceCheck) => void,
): void {
  describe(title, () => {
    checks((what, body) => {
      it(what, async () => {
        const harness = await start();
        const open = (): Promise<PostgresStore> => harness.open();
        try {
          await body({
            store: await open(),
            open,
            several: (count) => Promise.all(Array.from({ length: count }, open)),
            advance: (ms) => harness.advance(ms),
          });
        } finally {
          await harness.close();
        }
      });
    });
  });
}
