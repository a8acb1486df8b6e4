import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { need } from '../../scripts/need.mjs';

await need('promtool');

const run = promisify(execFile);

/** What promtool says; throws with its words when it is not content, and with ours when it is not there. */
export async function promtool(args: readonly string[], cwd: string, input = ''): Promise<string> {
  try {
    const running = run('promtool', [...args], { cwd });
    running.child.stdin?.end(input);
    const { stdout, stderr } = await running;
    return stdout + stderr;
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (code === 'ENOENT') {
      throw new Error(
        'promtool is not installed, and the rules cannot be checked without it. It is in the prometheus package of Debian and Ubuntu.',
        { cause: error },
      );
    }
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
  }
}
