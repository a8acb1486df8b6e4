import type { Log } from '../events.ts';
import type { Found } from '../find.ts';
import type { ChildSettings, Hello } from '../program/protocol.ts';

/** How conversions go here: through LibreOfficeKit, by soffice where that cannot be loaded, or not at all. */
export interface Way {
  /** How the next process is started. */
  now(): ChildSettings['way'];
  /** Null until a process was ready, or it is clear that none will be. */
  decision(): Decision | null;
  /** A process is ready: the first one decides. */
  ready(pid: number, hello: Hello, version: string): void;
  /** A process said that it cannot work. False when there is no other way left to try. */
  unusable(reason: string): boolean;
}

export interface Decision {
  readonly way: 'kit' | 'soffice' | 'none';
  readonly version: string | null;
  readonly network: Hello['network'];
  readonly disk: Hello['disk'];
  readonly detail?: string;
}

export function createWay({ office, slots, log }: { office: Found; slots: number; log: Log }): Way {
  let way: ChildSettings['way'] =
    office.library === null && office.soffice !== null ? 'soffice' : 'kit';
  let decision: Decision | null = null;
  if (way === 'soffice')
    sayFallback(`${office.program} has no LibreOfficeKit that is used on ${process.platform}.`);

  function sayFallback(reason: string): void {
    log.warn(
      { reason, program: office.program },
      'LibreOfficeKit cannot be loaded: every document starts a soffice process of its own, which takes over a second',
    );
  }

  return {
    now: () => way,
    decision: () => decision,
    ready(pid, hello, version) {
      if (decision !== null) return;
      const { network, disk } = hello;
      sayWhatIsOpen(log, pid, hello);
      log.info({ version, way, slots, network, disk }, 'LibreOffice is ready');
      decision = { way, version, network, disk };
    },
    unusable(reason) {
      if (office.soffice === null) {
        decision = { way: 'none', version: null, network: [], disk: [], detail: reason };
        return false;
      }
      way = 'soffice';
      sayFallback(reason);
      return true;
    },
  };
}

function sayWhatIsOpen(log: Log, pid: number, { network, disk }: Hello): void {
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
