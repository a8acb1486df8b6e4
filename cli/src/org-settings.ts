import { readFile } from 'node:fs/promises';
import type { SalesforceConfig } from '@millrace/salesforce';
import type { NameOptions } from '@millrace/store-salesforce';
import type { Environment } from './terminal/screen.ts';
import { UsageError } from './line/usage-error.ts';

export interface OrgSettings {
  readonly connection: SalesforceConfig;
  readonly names: NameOptions;
}

type Setting = Readonly<Record<string, unknown>>;

/** The same variables that the server reads, for one org: that of SALESFORCE_*, or one of SALESFORCE_ORGS by its name. */
export async function orgSettings(
  env: Environment,
  name: string | undefined,
): Promise<OrgSettings> {
  const setting = name === undefined ? firstOf(env) : namedOf(env, name);
  const clientId = textOf(setting, 'clientId');
  if (clientId === undefined) {
    throw new UsageError(
      'No org is configured here. Set SALESFORCE_CLIENT_ID and the rest as the server has them (docs/salesforce.md, step 4).',
    );
  }
  const { document, ...fields } = objectOf(setting['fields']);
  return {
    connection: {
      loginUrl:
        textOf(setting, 'loginUrl') ??
        (env['SALESFORCE_LOGIN_URL'] || 'https://login.salesforce.com'),
      apiVersion: textOf(setting, 'apiVersion') ?? (env['SALESFORCE_API_VERSION'] || '59.0'),
      auth: await authOf(setting, clientId),
    },
    names: { namespace: textOf(setting, 'namespace'), document, fields },
  };
}

function firstOf(env: Environment): Setting {
  const given = (name: string) => env[`SALESFORCE_${name}`] || undefined;
  return {
    clientId: given('CLIENT_ID'),
    clientSecret: given('CLIENT_SECRET'),
    username: given('USERNAME'),
    privateKey: given('PRIVATE_KEY'),
    namespace: given('NAMESPACE'),
    fields: jsonOf('SALESFORCE_FIELDS', given('FIELDS') ?? '{}'),
  };
}

function namedOf(env: Environment, name: string): Setting {
  const orgs = jsonOf('SALESFORCE_ORGS', env['SALESFORCE_ORGS'] || '[]');
  const list = Array.isArray(orgs) ? (orgs as readonly Setting[]) : [];
  const found = list.find((each) => each['name'] === name);
  if (found !== undefined) return found;
  const names = list.map((each) => String(each['name'])).join(', ');
  throw new UsageError(
    `SALESFORCE_ORGS has no "${name}". ${names === '' ? 'It has none.' : `It has ${names}.`}`,
  );
}

async function authOf(setting: Setting, clientId: string): Promise<SalesforceConfig['auth']> {
  const [username, key] = [textOf(setting, 'username'), textOf(setting, 'privateKey')];
  if (username !== undefined && key !== undefined) {
    return { type: 'jwt', clientId, username, privateKey: await pemOf(key) };
  }
  const clientSecret = textOf(setting, 'clientSecret');
  if (clientSecret !== undefined) return { type: 'clientCredentials', clientId, clientSecret };
  throw new UsageError(
    'A login needs SALESFORCE_USERNAME with SALESFORCE_PRIVATE_KEY, or SALESFORCE_CLIENT_SECRET.',
  );
}

/** The key itself, or the path of its file. */
async function pemOf(key: string): Promise<string> {
  if (key.includes('-----BEGIN')) return key.replaceAll(String.raw`\n`, '\n');
  try {
    return await readFile(key, 'utf8');
  } catch {
    // Not what was given: it may be a key without its first line.
    throw new UsageError('SALESFORCE_PRIVATE_KEY: this file cannot be read.');
  }
}

function jsonOf(variable: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${variable} is not JSON.`);
  }
}

function objectOf(value: unknown): Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
}

function textOf(setting: Setting, name: string): string | undefined {
  const value = setting[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
