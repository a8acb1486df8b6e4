import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Salesforce } from '@millrace/simulator-salesforce';
import type { OrgConfig } from './config/config.ts';
import { StartError } from './start-error.ts';

/** A simulated org on this machine, with the package in it and something to do. */
export interface SandboxOrg {
  readonly config: OrgConfig;
  /** Where people look inside. */
  readonly page: string;
  close(): Promise<void>;
}

/** An installed server has a copy in its own folder (scripts/packages/stage.mjs). */
const INVOICE_COPY = new URL('../examples/invoice/', import.meta.url);
const INVOICE = existsSync(INVOICE_COPY)
  ? INVOICE_COPY
  : new URL('../../examples/invoice/', import.meta.url);
const CLIENT_ID = 'millrace-sandbox';

export async function startOrg(dataFolder: string): Promise<SandboxOrg> {
  const { packageObjects, startSalesforce } = await import('@millrace/simulator-salesforce');
  const objects = packageObjects();
  if (objects === null)
    throw new StartError(
      'SALESFORCE_SANDBOX needs the objects and Apex of the Salesforce package, which this installation leaves out. Use a real org.',
    );
  const folder = join(dataFolder, 'sandbox');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const clientSecret = randomBytes(24).toString('base64url');
  const org = await startSalesforce({
    objects,
    apps: [{ clientId: CLIENT_ID, secret: clientSecret }],
    stateFile: join(folder, 'salesforce.json'),
  });
  if (org.org.records('Docgen_Template__c').length === 0) await furnish(org);
  return {
    page: `${org.origin}/_sim/`,
    config: {
      name: 'salesforce',
      names: {},
      tenant: '',
      purgeRequests: false,
      connection: {
        loginUrl: org.loginUrl,
        auth: { type: 'clientCredentials', clientId: CLIENT_ID, clientSecret },
        apiVersion: '59.0',
      },
    },
    close: () => org.close(),
  };
}

/** A template, three customers, and an invoice for each that waits to be made. */
async function furnish({ org }: Salesforce): Promise<void> {
  const [template, text] = await Promise.all([
    readFile(new URL('template.docx', INVOICE)),
    readFile(new URL('data.json', INVOICE), 'utf8'),
  ]);
  const data = JSON.parse(text) as Record<string, unknown>;
  const templateId = await org.insert('ContentVersion', {
    Title: 'Invoice',
    PathOnClient: 'invoice.docx',
    VersionData: template.toString('base64'),
  });
  const Template__c = await org.insert('Docgen_Template__c', {
    Name: 'Invoice',
    ContentVersionId__c: templateId,
    SObjectType__c: 'Account',
    OutputFormat__c: 'PDF',
    Active__c: true,
  });
  for (const Name of ['Guest House at the Weir', 'Harbour Office', 'Museum of Paper']) {
    const AccountId = await org.insert('Account', { Name });
    const request = {
      templateId,
      outputFileName: `Invoice for ${Name}`,
      outputFormat: 'PDF',
      locale: 'en-GB',
      timezone: 'Europe/London',
      data: { ...data, Id: AccountId, Buyer: { ...(data['Buyer'] as object), Name } },
      parents: { AccountId },
    };
    await org.insert('Generated_Document__c', {
      Status__c: 'QUEUED',
      Template__c,
      Account__c: AccountId,
      RequestJSON__c: JSON.stringify(request),
    });
  }
}
