// The command line of Salesforce: what makes an org, deploys to it and hands out a session.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SetupError } from '../setup.mjs';

const run = promisify(execFile);

/** @param {string} cwd @param {string[]} args @returns {Promise<any>} the result of `sf … --json` */
export async function sf(cwd, args) {
  const options = { cwd, maxBuffer: 256 * 1024 * 1024, shell: process.platform === 'win32' };
  try {
    const { stdout } = await run('sf', [...args, '--json'], options);
    return JSON.parse(stdout).result;
  } catch (error) {
    const { code, stdout = '' } = /** @type {{ code?: unknown, stdout?: string }} */ (error);
    if (code === 'ENOENT')
      throw new SetupError(
        'There is no sf. Install it (https://developer.salesforce.com/tools/salesforcecli), and log in to a Dev Hub: sf org login web --set-default-dev-hub',
      );
    throw new SetupError(`sf ${args.join(' ')}\n${said(stdout)}`);
  }
}

/** @param {string} stdout */
function said(stdout) {
  try {
    const { message, result } = JSON.parse(stdout);
    const details = result?.details ?? {};
    const failures = [
      ...(details.componentFailures ?? []),
      ...(details.runTestResult?.failures ?? []),
    ];
    return [message, ...failures.map((each) => JSON.stringify(each))].filter(Boolean).join('\n');
  } catch {
    return stdout.slice(-4000);
  }
}
