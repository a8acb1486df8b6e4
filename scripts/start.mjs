// npm start: installs what is missing, builds what has changed, then is the server.

import { debianPackages, fontPackages } from './services.mjs';
import { announcement } from './announcement.mjs';
import {
  become,
  canInstall,
  ensureBuild,
  ensureConsole,
  ensureModules,
  ensurePackages,
  hasModules,
  hasSamePackages,
  root,
  script,
} from './setup.mjs';

const officePackages = [debianPackages.office, ...fontPackages];

await script(async () => {
  const said = announcement({
    modules: !hasModules() && !hasSamePackages(root),
    packages: wantsOffice() && canInstall() ? officePackages.filter(({ found }) => !found()) : [],
  });
  if (said !== null) console.log(said);
  await ensureModules();
  await ensureBuild();
  await ensureConsole();
  await ensureOffice();
  offerSandbox();
  await become('server/dist/main.js');
});

/** Something to look at: a simulated org, unless there is a real one or NODE_ENV is neither development nor test. */
function offerSandbox() {
  const { NODE_ENV, MILLRACE_DOCUMENTS, SALESFORCE_CLIENT_ID, SALESFORCE_ORGS, ISSUER } =
    process.env;
  const isReal = Boolean(SALESFORCE_CLIENT_ID || SALESFORCE_ORGS || ISSUER);
  const mayBeSandbox = ['', 'development', 'test'].includes(NODE_ENV?.trim() ?? '');
  if (isReal || !mayBeSandbox || MILLRACE_DOCUMENTS === 'false') return;
  process.env['SALESFORCE_SANDBOX'] ||= 'true';
}

/** PDF needs LibreOffice, and fonts. Where it cannot be installed, everything else works, and the server says how to get it. */
async function ensureOffice() {
  if (!wantsOffice()) return;
  try {
    await ensurePackages([debianPackages.office]);
  } catch (error) {
    return console.log(`Documents can be made as DOCX, not as PDF. ${messageOf(error)}`);
  }
  try {
    await ensurePackages(fontPackages);
  } catch (error) {
    console.log(`Some fonts are missing: such text looks different. ${messageOf(error)}`);
  }
}

/** On Linux, where packages are Debian's. Elsewhere the server looks for LibreOffice, and says how to get it. */
function wantsOffice() {
  const { MILLRACE_DOCUMENTS, MILLRACE_OFFICE_PATH } = process.env;
  return process.platform === 'linux' && MILLRACE_DOCUMENTS !== 'false' && !MILLRACE_OFFICE_PATH;
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
