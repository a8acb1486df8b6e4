// npm run org:verify [-- --target-org ALIAS] [-- --keep]
//
// For whoever has an org. Makes a scratch org (or takes the one that is named), deploys the package with its tests as
// docs/salesforce.md says, asks the org what our design takes for granted of it, walks the store's promises on it, and keeps
// every answer in build/org-verify/ as a fixture for the simulator. What it makes in an org that is named stays there: name none whose
// records matter. Nobody has run it against an org yet: without one, its
// test (org-verify.test.ts) runs all of it against the simulator, with a stand-in for sf.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROBES } from './org-verify/probes.mjs';
import { createRecorder } from './org-verify/recorder.mjs';
import { sf } from './org-verify/sf.mjs';
import { walkStore } from './org-verify/store.mjs';
import { ensureBuild, ensureModules, root, script } from './setup.mjs';

const ALIAS = 'millrace-verify';
const PACKAGE = join(root, 'salesforce-package');

await script(async () => {
  const { values } = parseArgs({
    options: {
      'target-org': { type: 'string' },
      keep: { type: 'boolean', default: false },
      out: { type: 'string', default: join(root, 'build/org-verify') },
    },
  });
  await ensureModules();
  await ensureBuild();
  const alias = values['target-org'] ?? ALIAS;
  const isOurs = values['target-org'] === undefined;
  if (isOurs) {
    const definition = ['--definition-file', 'config/scratch.json', '--duration-days', '1'];
    await sf(PACKAGE, ['org', 'create', 'scratch', '--alias', ALIAS, ...definition]);
    say('ok', 'a scratch org');
  }
  try {
    if ((await verify(alias, values.out)) > 0) process.exitCode = 1;
  } finally {
    if (isOurs && !values.keep)
      await sf(PACKAGE, ['org', 'delete', 'scratch', '--target-org', ALIAS, '--no-prompt']);
  }
});

/** @param {string} alias @param {string} out @returns {Promise<number>} how much does not hold */
async function verify(alias, out) {
  const target = ['--target-org', alias];
  const tests = ['--test-level', 'RunLocalTests', '--wait', '60'];
  await sf(PACKAGE, [
    'project',
    'deploy',
    'start',
    '--source-dir',
    'force-app',
    ...tests,
    ...target,
  ]);
  say('ok', 'the package, deployed with its tests');
  // Once more: what the org has set itself must survive it.
  await sf(PACKAGE, [
    'project',
    'deploy',
    'start',
    '--source-dir',
    'force-app',
    '--wait',
    '60',
    ...target,
  ]);
  say('ok', 'the package, deployed again');
  for (const name of ['Docgen_Admin', 'Docgen_Integration'])
    await sf(PACKAGE, ['org', 'assign', 'permset', '--name', name, ...target]);
  say('ok', 'permission sets');

  const { instanceUrl, apiVersion: version } = await sf(PACKAGE, ['org', 'display', ...target]);
  const org = { instanceUrl, accessToken: await tokenOf(alias), version: String(version) };
  mkdirSync(out, { recursive: true });
  let broken = 0;
  for (const { name, claim, run } of PROBES) {
    const recorder = createRecorder(org);
    const finding = await run({ version: org.version, recorder, secondToken: secondUser(alias) });
    keep(out, name, { claim, ...finding, version: org.version, exchanges: recorder.exchanges });
    if (finding.holds === false) broken += 1;
    const verdict = finding.holds === null ? 'not tried' : finding.holds ? 'ok' : 'FAILED';
    say(verdict, `${claim} ${finding.found}`);
  }
  const [{ createSalesforce }, { createSalesforceStore, filesEffect }] = await Promise.all([
    import('@millrace/salesforce'),
    import('@millrace/store-salesforce'),
  ]);
  const recorder = createRecorder(org);
  const faults = await walkStore(
    { ...org, recorder },
    { createSalesforce, createSalesforceStore, filesEffect },
  );
  keep(out, 'store', { holds: faults.length === 0, faults, exchanges: recorder.exchanges });
  say(faults.length === 0 ? 'ok' : 'FAILED', `the store's promises ${faults.join('; ')}`);
  console.log(`${out}: the answers, for lab/simulators/salesforce`);
  return broken + faults.length;
}

/** A session of the org. Since May 2026 `org display` keeps it to itself; before, there was no other command. @param {string} alias @returns {Promise<string>} */
async function tokenOf(alias) {
  const target = ['--target-org', alias];
  try {
    return (await sf(PACKAGE, ['org', 'auth', 'show-access-token', ...target])).accessToken;
  } catch (error) {
    const { accessToken } = await sf(PACKAGE, ['org', 'display', ...target]);
    if (typeof accessToken !== 'string' || accessToken.includes('REDACTED')) throw error;
    return accessToken;
  }
}

/** Probes as a person with Docgen_User, if the org can have one. @param {string} alias */
function secondUser(alias) {
  return async () => {
    const user = ['org', 'create', 'user', '--target-org', alias, 'permsets=Docgen_User'];
    return tokenOf((await sf(PACKAGE, user)).fields.username);
  };
}

/** @param {string} out @param {string} name @param {unknown} content */
function keep(out, name, content) {
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}

/** @param {string} verdict @param {string} what */
function say(verdict, what) {
  console.log(`${verdict.padEnd(10)}${what.trim()}`);
}
