import type { Log, OfficeEvent } from '../events.ts';
import type { Hello } from '../program/protocol.ts';
import { type Member, createMembers } from './members.ts';
import { createSetbacks } from './setbacks.ts';
import type { EndReason, OfficeProcess } from './slot.ts';
import { type StartParams, createStarts } from './starts.ts';
import { type Decision, createWay } from './way.ts';

/**
 * Keeps as many processes as there are slots: starts them, replaces the dead and the old, and falls back to
 * soffice when LibreOfficeKit cannot be loaded.
 */
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

export interface FleetParams extends StartParams {
  readonly slots: number;
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
  const members = createMembers();
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
  const starts = createStarts(params, way, { process: onProcess, failed: startFailed });
  let closed = false;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));

  function fill(): void {
    const decision = way.decision();
    if (closed || setbacks.isHolding() || decision?.way === 'none') return;
    const wanted = decision === null ? 1 : slots; // the first one shows which way it goes
    for (let count = members.staying() + starts.count(); count < wanted; count++) starts.begin();
  }

  function wantFresh(count: number): void {
    fill();
    if (setbacks.isHolding()) return;
    members.replace(count - starts.count() - members.onTheWay());
    fill();
  }

  async function onProcess(process: OfficeProcess, startedAt: number): Promise<void> {
    const member = enlist(process);
    const began = await process.started;
    if (began.type === 'ready') onReady(member, began, performance.now() - startedAt);
    else if (!closed) onUnusable(member, began);
  }

  function enlist(process: OfficeProcess): Member {
    const member = members.enlist(process);
    if (closed) process.kill('closed');
    void process.ended.then(
      (reason) => onEnded(member, reason),
      (error: unknown) => {
        log.warn(
          { error: String(error) },
          'The files of a LibreOffice process could not be removed',
        );
        onEvent({ type: 'files_left' });
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
    members.retireOneDue();
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
    idle: members.idle,
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
      await starts.over();
      await Promise.allSettled([...members].map(({ process }) => process.ended));
    },
  };
}
