import { readFile } from 'node:fs/promises';
import type { Credential } from '@millrace/store-postgres';
import type { CredentialConfig } from '../config/database.ts';
import { AZURE_RESOURCES, createAzureTokens } from '@millrace/workload-kit';

export function openCredential(config: CredentialConfig): Credential {
  return config.from === 'azure'
    ? createAzureTokens({ ...config, resource: AZURE_RESOURCES.postgres, now: Date.now, fetch })
    : { password: () => passwordIn(config.path) };
}

/** Editors and `echo` end a file with a line break, which is no part of the password. */
async function passwordIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} of DATABASE_PASSWORD_FILE cannot be read: ${error.code}`);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new Error(`${path} of DATABASE_PASSWORD_FILE is empty`);
  return password;
}
