import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

type Start = (program: string, args: readonly string[]) => void;

/** Ends a process with all that it has started: its group, or on Windows, which has no groups, the tree below it. */
export function killTree(
  pid: number | undefined,
  platform: NodeJS.Platform = process.platform,
  start: Start = startQuietly,
): void {
  if (pid === undefined) return;
  if (platform === 'win32') return start('taskkill', ['/pid', String(pid), '/t', '/f']);
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has ended already.
  }
}

function startQuietly(program: string, args: readonly string[]): void {
  spawn(program, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
}

/** Linux counts in hundredths of a second, whatever the machine. */
const TICK_MS = 10;

/** The processor time that the leader of a group has had: 40 µs. Zero where the system does not tell. */
export function leaderMs(leader: number | undefined): number {
  return leader === undefined ? 0 : timeOf(String(leader), leader);
}

/** With all others of its group: a look at every process of the machine. */
export function groupMs(leader: number | undefined): number {
  if (leader === undefined) return 0;
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => timeOf(pid, leader))
      .reduce((sum, time) => sum + time, 0);
  } catch {
    return 0;
  }
}

/** "pid (name) state parent group …": the name may hold anything; times are the twelfth and thirteenth word after it. */
function timeOf(pid: string, group: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(words[2]) !== group) return 0;
    return (Number(words[11]) + Number(words[12])) * TICK_MS;
  } catch {
    return 0; // it has ended
  }
}
