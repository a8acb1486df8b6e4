import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import type { Log, OfficeEvent } from '../src/events.ts';
import { type Office, type OfficeConfig, openOffice } from '../src/office.ts';

await need('office');
await need('build'); // the processes of a pool run what is built

/** Waits for what nothing signals. A busy machine may take its time. */
export function until(isSo: () => void): Promise<void> {
  return vi.waitFor(isSo, { timeout: 20_000, interval: 2 });
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'office-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The events of an office, and a way to wait for them. */
export interface Observed {
  readonly events: OfficeEvent[];
  readonly lines: { level: string; message: string; fields: object }[];
  readonly log: Log;
  readonly onEvent: (event: OfficeEvent) => void;
  /** The first event, past or to come, that is so. */
  event<Type extends OfficeEvent['type']>(
    type: Type,
    isSo?: (event: Extract<OfficeEvent, { type: Type }>) => boolean,
  ): Promise<Extract<OfficeEvent, { type: Type }>>;
}

export function observe(): Observed {
  const events: OfficeEvent[] = [];
  const lines: Observed['lines'] = [];
  const waiting = new Set<(event: OfficeEvent) => void>();
  const level = (name: string) => (fields: object, message: string) => {
    lines.push({ level: name, message, fields });
  };
  return {
    events,
    lines,
    log: { info: level('info'), warn: level('warn'), error: level('error') },
    onEvent(event) {
      events.push(event);
      for (const tell of waiting) tell(event);
    },
    event(type, isSo = () => true) {
      type Wanted = Extract<OfficeEvent, { type: typeof type }>;
      const matches = (event: OfficeEvent): event is Wanted =>
        event.type === type && isSo(event as Wanted);
      const past = events.find(matches);
      if (past !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => {
        const tell = (event: OfficeEvent): void => {
          if (!matches(event)) return;
          waiting.delete(tell);
          resolve(event);
        };
        waiting.add(tell);
      });
    },
  };
}

export async function openTestOffice(
  config: Partial<OfficeConfig> = {},
): Promise<{ office: Office; seen: Observed; workdir: string }> {
  const seen = observe();
  const workdir = config.workdir ?? temporaryFolder();
  const { log, onEvent } = seen;
  const office = await openOffice({ slots: 1, workdir, log, onEvent, ...config });
  onTestFinished(() => office.close());
  return { office, seen, workdir };
}

/** A killed process may stay as a zombie when nobody asks for its end. */
export function isGone(pid: number): boolean {
  return /^[ZX]?$/.test(statOf(pid)[0] ?? '');
}

/** In hundredths of a second. */
export function processorTime(pid: number): number {
  const stat = statOf(pid);
  return Number(stat[11] ?? 0) + Number(stat[12] ?? 0);
}

/** The living processes of a process group. */
export function groupOf(leader: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(statOf(pid)[2]) === leader && !isGone(pid));
}

/** The words of /proc/<pid>/stat from the state on; none for a process that is not there. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
