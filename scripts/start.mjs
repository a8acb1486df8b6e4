// npm start: installs what is missing, builds what has changed, then is the server.

import { debianPackages, fontPackages } from './services.mjs';
import { become, ensureBuild, ensureModules, ensurePackages, script } from './setup.mjs';

await script(async () => {
  await ensureModules();
  await ensureBuild();
  await ensureOffice();
  offerSandbox();
  await become('server/dist/main.js');
});

/** Something to look at: a simulated org, unless there is a real one or the process is in production. */
function offerSandbox() {
  const { NODE_ENV, MILLRACE_DOCUMENTS, SALESFORCE_CLIENT_ID, SALESFORCE_ORGS, ISSUER } =
    process.env;
  const isReal = Boolean(SALESFORCE_CLIENT_ID || SALESFORCE_ORGS || ISSUER);
  if (isReal || NODE_ENV === 'production' || MILLRACE_DOCUMENTS === 'false') return;
  process.env['SALESFORCE_SANDBOX'] ||= 'true';
}

/** PDF needs LibreOffice, and fonts. Where it cannot be installed, everything else works, and the server says how to get it. */
async function ensureOffice() {
  const wanted = process.env['MILLRACE_DOCUMENTS'] !== 'false';
  const elsewhere = process.env['MILLRACE_OFFICE_PATH'];
  if (!wanted || elsewhere) return;
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

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
