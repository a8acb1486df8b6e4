import { readFile } from 'node:fs/promises';
import { invalid } from './errors.ts';
import type { Credentials } from './types.ts';

/**
 * A file as Amazon's own tools write it (`~/.aws/credentials`). It is read for each request, some hundred bytes beside the megabytes
 * of a part, so that a rotated key needs no restart.
 */
export function credentialsFile(path: string, profile = 'default'): () => Promise<Credentials> {
  return async () => {
    const values = profileOf(await textOf(path), profile);
    const accessKeyId = values.get('aws_access_key_id') ?? '';
    const secretAccessKey = values.get('aws_secret_access_key') ?? '';
    const sessionToken = values.get('aws_session_token') ?? '';
    if (accessKeyId === '' || secretAccessKey === '')
      throw invalid(
        'invalid_credentials',
        `${path} has no aws_access_key_id and aws_secret_access_key under [${profile}].`,
      );
    return { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) };
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'no code' } = error as NodeJS.ErrnoException;
    throw invalid(
      'invalid_credentials',
      `${path} with the key of the object storage cannot be read: ${code}.`,
    );
  }
}

function profileOf(text: string, profile: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n')) {
    const [, name] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
    if (name !== undefined) section = name.trim();
    const [, key, value] = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined && section === profile) values.set(key, value);
  }
  return values;
}
