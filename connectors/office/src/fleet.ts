import { join } from 'node:path';
import type { Found } from './find.ts';
import type { OtherFormat } from './formats.ts';
import type { Log, OfficeEvent } from './events.ts';
import type { ChildSettings, Hello } from './protocol.ts';
import { type EndReason, type OfficeProcess, startProcess } from './slot.ts';

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

export interface Decision {
  readonly way: 'kit' | 'soffice' | 'none';
  readonly version: string | null;
  readonly network: Hello['network'];
  readonly disk: Hello['disk'];
  readonly detail?: string;
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

const RETRY_START_MS = [0, 250, 1_000, 5_000, 15_000, 30_000];
/** Failed starts in a row until those who wait are told. */
const BROKEN_AFTER = 3;

export function createFleet(params: FleetParams): Fleet {
  const { office, slots, recycleAfter, log, onEvent } = params;
  const members = new Set<Member>();
  const totals = { started: 0, recycled: 0, crashed: 0 };
  let starting = 0;
  let numbered = 0;
  let failures = 0;
  let trouble: string | null = null;
  let holding: NodeJS.Timeout | null = null;
  let closed = false;
  let way: ChildSettings['way'] =
    office.library === null && office.soffice !== null ? 'soffice' : 'kit';
  let decision: Decision | null = null;
  let settle: () => void = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const starts = new Set<Promise<void>>();
  if (way === 'soffice') sayFallback(`There is no LibreOfficeKit in ${office.program}.`);

  function fill(): void {
    if (closed || holding !== null || decision?.way === 'none') return;
    const staying = [...members].filter(({ due, process }) => !due && process.alive()).length;
    const wanted = decision === null ? 1 : slots; // the first one shows which way it goes
    for (let count = staying + starting; count < wanted; count++) {
      const start = startOne().finally(() => starts.delete(start));
      starts.add(start);
    }
  }

  function wantFresh(count: number): void {
    fill();
    if (holding !== null) return;
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
    const folder = join(params.folder, String(++numbered));
    const { program, library, soffice, version } = office;
    const { script, startTimeoutMs, cache, memoryMb, reach, account, otherFormats } = params;
    const settings = { way, program, library, soffice, folder, cache, memoryMb, reach, account };
    let process: OfficeProcess;
    try {
      process = await startProcess({ script, settings, version, otherFormats, startTimeoutMs });
    } catch (error) {
      starting -= 1;
      startFailed(error instanceof Error ? error.message : String(error));
      return;
    }
    const member: Member = {
      process,
      state: 'starting',
      documents: 0,
      rssMb: 0,
      due: false,
      retiring: false,
    };
    members.add(member);
    starting -= 1;
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
    const start = await process.started;
    if (start.type === 'ready') onReady(member, start, performance.now() - startedAt);
    else if (!closed) onUnusable(member, start);
  }

  function onReady(member: Member, hello: Hello, startMs: number): void {
    const { pid } = member.process;
    if (closed || !member.process.alive()) return;
    failures = 0;
    trouble = null;
    totals.started += 1;
    const version = hello.version ?? `${office.version.major}.${office.version.minor}`;
    onEvent({ type: 'process_started', pid, startMs, way, version });
    if (decision === null) {
      const { network, disk } = hello;
      sayWhatIsOpen(pid, hello);
      log.info({ version, way, slots, network, disk }, 'LibreOffice is ready');
      decision = { way, version, network, disk };
      settle();
    }
    retireOneDue();
    fill();
    member.state = 'idle';
    params.onIdle();
  }

  function onUnusable(
    member: Member,
    start: { type: 'unavailable' | 'died'; reason: string },
  ): void {
    member.process.kill('no_start');
    const isSettled = decision !== null || way === 'soffice';
    // `unavailable` (LibreOfficeKit cannot be loaded) decides at once; a death at the start may be chance, so the
    // first one does not.
    if (isSettled || (start.type === 'died' && failures === 0)) {
      startFailed(start.reason);
      return;
    }
    failures = 0;
    if (office.soffice === null) {
      decision = { way: 'none', version: null, network: [], disk: [], detail: start.reason };
      broken(start.reason);
      return;
    }
    way = 'soffice';
    sayFallback(start.reason);
  }

  function startFailed(reason: string): void {
    if (closed) return;
    failures += 1;
    trouble = reason;
    log.warn({ reason, failures }, 'A LibreOffice process did not start');
    if (failures >= BROKEN_AFTER) broken(reason);
    holding ??= setTimeout(
      () => {
        holding = null;
        fill();
      },
      RETRY_START_MS[Math.min(failures, RETRY_START_MS.length) - 1],
    ).unref();
  }

  function broken(reason: string): void {
    trouble = reason;
    settle();
    params.onBroken(reason);
  }

  function sayFallback(reason: string): void {
    log.warn(
      { reason, program: office.program },
      'LibreOfficeKit cannot be loaded: every document starts a soffice process of its own, which takes over a second',
    );
  }

  function sayWhatIsOpen(pid: number, { network, disk }: Hello): void {
    if (network.length === 0)
      log.warn(
        { pid },
        'LibreOffice runs with a network: neither a seccomp filter nor a network namespace is allowed here',
      );
    if (disk.includes('landlock')) return;
    const user = disk.includes('account') ? 'the user nobody' : "the service's own user";
    log.warn(
      { pid, disk },
      `LibreOffice can read the files of ${user}: this system has no Landlock (Linux 5.13 or later). What remains is its profile, which follows no links, and that only DOCX is opened`,
    );
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

  return {
    settled,
    decision: () => decision,
    idle: () =>
      [...members].filter(
        (member) => member.state === 'idle' && !member.retiring && member.process.alive(),
      ),
    members: () => [...members],
    take(member) {
      member.state = 'busy';
    },
    release(member, { failed }) {
      member.documents += 1;
      member.rssMb = Math.round(member.process.rssMb());
      if (closed || !member.process.alive()) return;
      const isOld =
        member.documents >= recycleAfter.documents || member.rssMb > recycleAfter.megabytes;
      if (way === 'kit' && (isOld || failed)) member.due = true;
      member.state = 'idle';
      if (member.retiring) member.process.kill('recycled');
      else params.onIdle();
      fill();
    },
    fill,
    wantFresh,
    totals: () => totals,
    trouble: () => trouble,
    async close() {
      closed = true;
      if (holding !== null) clearTimeout(holding);
      settle();
      for (const { process } of members) process.kill('closed');
      await Promise.allSettled(starts);
      await Promise.allSettled([...members].map(({ process }) => process.ended));
    },
  };
}
