import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Salesforce,
  type SalesforceOptions,
  startSalesforce,
} from '@millrace/simulator-salesforce';

const root = join(import.meta.dirname, '../..');

export const PACKAGE = join(root, 'salesforce-package');
export const METADATA = join(PACKAGE, 'force-app/main/default');
export const APP = { clientId: 'docgen', secret: 'a-secret-of-this-test' };
export const USERNAME = 'docgen@example.com';

/** A simulated org with the package in it, and what a shell needs to reach it with `sf`. */
export interface DocumentedOrg {
  readonly salesforce: Salesforce;
  /** Comes first in PATH. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function startDocumentedOrg(
  folder: string,
  options: Partial<SalesforceOptions> = {},
): Promise<DocumentedOrg> {
  const salesforce = await startSalesforce({
    objects: join(METADATA, 'objects'),
    users: [{ username: USERNAME, name: 'Docgen' }],
    apps: [APP],
    namedCredentials: { Docgen_Service: 'https://docgen.acme.com' },
    ...options,
  });
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'docs/test/sf.mjs')}' "$@"\n`;
  await writeFile(join(bin, 'sf'), script, { mode: 0o755 });
  return {
    salesforce,
    bin,
    env: {
      SF_URL: salesforce.origin,
      SF_CLIENT_ID: APP.clientId,
      SF_CLIENT_SECRET: APP.secret,
      SF_PACKAGE: PACKAGE,
    },
  };
}
