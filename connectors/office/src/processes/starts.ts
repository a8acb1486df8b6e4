import { join } from 'node:path';
import type { Found } from '../find.ts';
import type { ChildSettings } from '../program/protocol.ts';
import type { OtherFormat } from './formats.ts';
import { type OfficeProcess, startProcess } from './slot.ts';
import type { Way } from './way.ts';

/** Starts processes, each in a folder of its own. */
export interface Starts {
  begin(): void;
  /** How many have been begun and are no process yet. */
  count(): number;
  /** When all that have begun are ready, or have failed. */
  over(): Promise<void>;
}

export interface StartParams {
  readonly script: string;
  readonly office: Found;
  readonly folder: string;
  readonly cache: ChildSettings['cache'];
  readonly reach: ChildSettings['reach'];
  readonly account: ChildSettings['account'];
  readonly otherFormats: readonly OtherFormat[];
  readonly memoryMb: number;
  readonly startTimeoutMs: number;
}

export function createStarts(
  params: StartParams,
  way: Way,
  on: {
    /** There is a process; it may still turn out to be unusable. */
    process: (process: OfficeProcess, startedAt: number) => Promise<void>;
    failed: (reason: string) => void;
  },
): Starts {
  const underWay = new Set<Promise<void>>();
  let count = 0;
  let numbered = 0;

  async function startOne(): Promise<void> {
    count += 1;
    const startedAt = performance.now();
    const process = await start(join(params.folder, String(++numbered)));
    count -= 1;
    if (process !== null) await on.process(process, startedAt);
  }

  async function start(folder: string): Promise<OfficeProcess | null> {
    const { program, library, soffice, version } = params.office;
    const { script, startTimeoutMs, cache, memoryMb, reach, account, otherFormats } = params;
    const files = { program, library, soffice, folder, cache, reach };
    const settings = { way: way.now(), ...files, memoryMb, account };
    try {
      return await startProcess({ script, settings, version, otherFormats, startTimeoutMs });
    } catch (error) {
      on.failed(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  return {
    begin() {
      const begun = startOne().finally(() => underWay.delete(begun));
      underWay.add(begun);
    },
    count: () => count,
    over: async () => void (await Promise.allSettled(underWay)),
  };
}
