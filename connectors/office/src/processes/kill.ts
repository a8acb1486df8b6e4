import { spawn } from 'node:child_process';

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
