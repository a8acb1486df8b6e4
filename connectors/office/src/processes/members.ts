import type { OfficeProcess } from './slot.ts';

/**
 * A process of the fleet. One that is due for recycling goes on serving until its successor is ready, so nobody waits
 * for a start; then it is retiring, and ends when it is idle. There is one process more during that time.
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

export interface Members extends Iterable<Member> {
  enlist(process: OfficeProcess): Member;
  delete(member: Member): void;
  /** The members that can be given a document. */
  idle(): Member[];
  /** How many live and are not being replaced. */
  staying(): number;
  /** How many are not ready yet. */
  onTheWay(): number;
  /** Has so many replaced that have converted something. */
  replace(count: number): void;
  /** A successor is ready: one that is due ends, as soon as it is idle. */
  retireOneDue(): void;
}

export function createMembers(): Members {
  const members = new Set<Member>();

  return {
    enlist(process) {
      const unused = { documents: 0, rssMb: 0, due: false, retiring: false };
      const member: Member = { process, state: 'starting', ...unused };
      members.add(member);
      return member;
    },
    delete: (member) => void members.delete(member),
    idle: () =>
      [...members].filter(
        ({ state, retiring, process }) => state === 'idle' && !retiring && process.alive(),
      ),
    staying: () => [...members].filter(({ due, process }) => !due && process.alive()).length,
    onTheWay: () =>
      [...members].filter(({ state, process }) => state === 'starting' && process.alive()).length,
    replace(count) {
      const served = [...members].filter(({ due, documents }) => !due && documents > 0);
      for (const member of served.slice(0, Math.max(0, count))) member.due = true;
    },
    retireOneDue() {
      const due = [...members].find((member) => member.due && !member.retiring);
      if (due === undefined) return;
      due.retiring = true;
      if (due.state === 'idle') due.process.kill('recycled');
    },
    [Symbol.iterator]: () => members.values(),
  };
}
