import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Processes of tests run what is built: so it has to be what the sources say. */
export function build(): void {
  const tsc = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
  execFileSync(tsc, ['-b', 'workloads/reports'], { cwd: root, stdio: 'inherit' });
}
