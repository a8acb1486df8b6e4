// A simulated Salesforce org in a process of its own, with documents that wait; see salesforce.mjs.

import { fileURLToPath } from 'node:url';
import { startSalesforce } from '@millrace/simulator-salesforce';
import { dialects, invoiceData, invoiceTemplate } from './invoice.mjs';
import { serveRole } from './role.mjs';

const OBJECTS = fileURLToPath(
  new URL('../../salesforce-package/force-app/main/default/objects', import.meta.url),
);
const ROWS = 10;

export const APP = { clientId: 'bench', secret: 'a-secret-for-benchmarks' };

/** Per request, by a seed: everything that a network and an org do on a bad day. */
const FAULTS = [
  { kind: 'unavailable', probability: 0.02 },
  { kind: 'cut-before', probability: 0.02 },
  { kind: 'cut-after', probability: 0.02 },
  { kind: 'lock', probability: 0.01 },
  { kind: 'session-expired', every: 60 },
];

async function open({ documents, latencyMs, faults }) {
  const org = await startSalesforce({ objects: OBJECTS, apps: [APP], latencyMs, seed: 7 });
  const inside = org.org;
  const templateId = await inside.insert('ContentVersion', {
    Title: 'Invoice template',
    PathOnClient: 'invoice.docx',
    VersionData: Buffer.from(invoiceTemplate(dialects.millrace)).toString('base64'),
  });
  await inside.insert('Docgen_Template__c', { Name: 'Invoice', ContentVersionId__c: templateId });
  const AccountId = await inside.insert('Account', { Name: 'Acme' });
  for (let n = 1; n <= documents; n += 1) {
    const data = { Id: AccountId, ...invoiceData(ROWS, n) };
    const request = { templateId, outputFileName: `Invoice ${n}`, data, parents: { AccountId } };
    await inside.insert('Generated_Document__c', {
      Status__c: 'QUEUED',
      RequestJSON__c: JSON.stringify(request),
    });
  }
  if (faults) for (const fault of FAULTS) org.faults.add(fault);

  return async ({ verb }) => {
    if (verb === 'where') return { loginUrl: org.loginUrl };
    const records = inside.records('Generated_Document__c');
    const states = {};
    for (const { Status__c: state } of records) states[state] = (states[state] ?? 0) + 1;
    if (verb === 'progress') return { states };
    return { states, calls: org.calls, ...account(records, inside.files()) };
  };
}

/** What every document must have: one file, that its record names and that hangs at the account. */
function account(records, files) {
  const made = files.filter(({ title }) => title !== 'Invoice template');
  const named = new Map(records.map((record) => [record.OutputFileId__c, record]));
  const titles = new Set(made.map(({ title }) => title));
  const hasFile = (record) =>
    record.Status__c === 'SUCCEEDED' &&
    made.some((file) => file.versionId === record.OutputFileId__c && file.parents.length === 1);
  return {
    lost: records.filter((record) => !hasFile(record)).length,
    doubled: made.length - titles.size,
    orphans: made.filter(({ versionId }) => !named.has(versionId)).length,
    bytes: made.reduce((sum, { size }) => sum + size, 0),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveRole(open);
