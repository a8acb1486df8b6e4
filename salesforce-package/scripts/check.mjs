// node scripts/check.mjs [check …]   All checks, or only those named. The exit code is 1 if one fails.

import { checkPackage } from './checks.mjs';

const only = process.argv.slice(2);
const results = await checkPackage({
  ...(only.length > 0 && { only }),
  report({ name, problems, note, skipped, ms }) {
    const verdict = skipped ? 'skipped' : problems.length === 0 ? 'ok' : 'FAILED';
    const seconds = `${(ms / 1000).toFixed(1)} s`;
    console.log(`${verdict.padEnd(8)}${name.padEnd(12)}${seconds.padStart(7)}  ${note}`);
    for (const problem of problems) console.log(`  ${problem}`);
  },
});
const failed = results.filter(({ problems }) => problems.length > 0).length;
const skipped = results.filter((result) => result.skipped).length;
console.log(`${results.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0) process.exitCode = 1;
