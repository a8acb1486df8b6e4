import { join } from 'node:path';
import type { Found } from '../find.ts';
import type { OtherFormat } from './formats.ts';
import type { Log, OfficeEvent } from '../events.ts';
import type { ChildSettings, Hello } from '../program/protocol.ts';
import { createSetbacks } from './setbacks.ts';
import { type EndReason, type OfficeProcess, startProcess } from './slot.ts';
import { type Decision, createWay } from './way.ts';

/**
 * Keeps as many processes as there are slots: starts them, replaces the dead and the old, and falls back to
 * soffice when LibreOfficeKit cannot be loaded.
 *
 * A process that is due for recycling goes on serving until its successor is ready, so nobody waits for a
 * start. There is one process more during that time.
 */
export interface Member {
  readonly process: OfficeProcess;
  state: 'starting' | 'idle' | 'busy';
  documents: number;
  rssMb: number;
  /** This process is being replaced: it serves until its successor is ready. */
  due: boolean;
  retiring: boolean;
}

export interface Fleet {
  /** Once it is known how conversions go here, or that nothing starts. */
  readonly settled: Promise<void>;
  /** Null until a process was ready, or it is clear that none will be. */
  decision(): Decision | null;
  idle(): Member[];
  members(): readonly Member[];
  take(member: Member): void;
  /** A job is over. One that failed leaves its process suspect: it is replaced. */
  release(member: Member, job: { failed: boolean }): void;
  fill(): void;
  /** Sees to it that so many processes are on the way that have converted nothing yet. */
  wantFresh(count: number): void;
  totals(): { started: number; recycled: number; crashed: number };
  /** Why no process starts at the moment. */
  trouble(): string | null;
  close(): Promise<void>;
}

export interface FleetParams {
  readonly script: string;
  readonly office: Found;
  readonly folder: string;
  readonly cache: ChildSettings['cache'];
  readonly reach: ChildSettings['reach'];
  readonly account: ChildSettings['account'];
  readonly otherFormats: readonly OtherFormat[];
  readonly slots: number;
  readonly memoryMb: number;
  readonly startTimeoutMs: number;
  readonly recycleAfter: { readonly documents: number; readonly megabytes: number };
  readonly log: Log;
  readonly onEvent: (event: OfficeEvent) => void;
  /** A process is free. */
  readonly onIdle: () => void;
  /** No process starts: waiting documents are refused instead of waiting for ever. */
  readonly onBroken: (reason: string) => void;
}

export function createFleet(params: FleetParams): Fleet {
  const { office, slots, recycleAfter, log, onEvent, onIdle } = params;
  const members = new Set<Member>();
  const totals = { started: 0, recycled: 0, crashed: 0 };
  const way = createWay({ office, slots, log });
  const setbacks = createSetbacks({
    log,
    onBroken(reason) {
      settle();
      params.onBroken(reason);
    },
    onRetry: fill,
  });
  let starting = 0;
  let numbered = 0;
  let closed = false;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const starts = new Set<Promise<void>>();

  function fill(): void {
    const decision = way.decision();
    if (closed || setbacks.isHolding() || decision?.way === 'none') return;
    const staying = [...members].filter(({ due, process }) => !due && process.alive()).length;
    const wanted = decision === null ? 1 : slots; // the first one shows which way it goes
    for (let count = staying + starting; count < wanted; count++) {
      const begun = startOne().finally(() => starts.delete(begun));
      starts.add(begun);
    }
  }

  function wantFresh(count: number): void {
    fill();
    if (setbacks.isHolding()) return;
    const onTheWay = [...members].filter(
      ({ state, process }) => state === 'starting' && process.alive(),
    );
    const served = [...members].filter(({ due, documents }) => !due && documents > 0);
    for (const member of served.slice(0, Math.max(0, count - starting - onTheWay.length)))
      member.due = true;
    fill();
  }

  async function startOne(): Promise<void> {
    starting += 1;
    const startedAt = performance.now();
    const process = await start(join(params.folder, String(++numbered)));
    starting -= 1;
    if (process === null) return;
    const member = enlist(process);
    const began = await process.started;
    if (began.type === 'ready') onReady(member, began, performance.now() - startedAt);
    else if (!closed) onUnusable(member, began);
  }

  async function start(folder: string): Promise<OfficeProcess | null> {
    const { program, library, soffice, version } = office;
    const { script, startTimeoutMs, cache, memoryMb, reach, account, otherFormats } = params;
    const files = { program, library, soffice, folder, cache, reach };
    const settings = { way: way.now(), ...files, memoryMb, account };
    try {
      return await startProcess({ script, settings, version, otherFormats, startTimeoutMs });
    } catch (error) {
      startFailed(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  function enlist(process: OfficeProcess): Member {
    const unused = { documents: 0, rssMb: 0, due: false, retiring: false };
    const member: Member = { process, state: 'starting', ...unused };
    members.add(member);
    if (closed) process.kill('closed');
    void process.ended.then(
      (reason) => onEnded(member, reason),
      (error: unknown) => {
        log.warn(
          { error: String(error) },
          'The files of a LibreOffice process could not be removed',
        );
        onEnded(member, 'crash');
      },
    );
    return member;
  }

  function onReady(member: Member, hello: Hello, startMs: number): void {
    const { pid } = member.process;
    if (closed || !member.process.alive()) return;
    setbacks.over();
    totals.started += 1;
    const version = hello.version ?? `${office.version.major}.${office.version.minor}`;
    onEvent({ type: 'process_started', pid, startMs, way: way.now(), version });
    way.ready(pid, hello, version);
    settle();
    retireOneDue();
    fill();
    member.state = 'idle';
    onIdle();
  }

  function onUnusable(
    member: Member,
    { type, reason }: { type: 'unavailable' | 'died'; reason: string },
  ): void {
    member.process.kill('no_start');
    const isSettled = way.decision() !== null || way.now() === 'soffice';
    // Unavailable is final. A death may be chance, once.
    if (isSettled || (type === 'died' && setbacks.count() === 0)) return startFailed(reason);
    setbacks.forget();
    if (!way.unusable(reason)) setbacks.broken(reason);
  }

  function startFailed(reason: string): void {
    if (!closed) setbacks.failed(reason);
  }

  function retireOneDue(): void {
    const due = [...members].find((member) => member.due && !member.retiring);
    if (due === undefined) return;
    due.retiring = true;
    if (due.state === 'idle') due.process.kill('recycled');
  }

  function onEnded(member: Member, reason: EndReason): void {
    members.delete(member);
    const { pid } = member.process;
    if (reason === 'recycled') totals.recycled += 1;
    if (reason === 'crash') totals.crashed += 1;
    onEvent({ type: 'process_ended', pid, reason, documents: member.documents });
    fill();
  }

  function release(member: Member, { failed }: { failed: boolean }): void {
    member.documents += 1;
    member.rssMb = Math.round(member.process.rssMb());
    if (closed || !member.process.alive()) return;
    const isOld =
      member.documents >= recycleAfter.documents || member.rssMb > recycleAfter.megabytes;
    if (way.now() === 'kit' && (isOld || failed)) member.due = true;
    member.state = 'idle';
    if (member.retiring) member.process.kill('recycled');
    else onIdle();
    fill();
  }

  return {
    settled,
    decision: way.decision,
    idle: () =>
      [...members].filter(
        (member) => member.state === 'idle' && !member.retiring && member.process.alive(),
      ),
    members: () => [...members],
    take(member) {
      member.state = 'busy';
    },
    release,
    fill,
    wantFresh,
    totals: () => totals,
    trouble: setbacks.trouble,
    async close() {
      closed = true;
      setbacks.stop();
      settle();
      for (const { process } of members) process.kill('closed');
      await Promise.allSettled(starts);
      await Promise.allSettled([...members].map(({ process }) => process.ended));
    },
  };
}
