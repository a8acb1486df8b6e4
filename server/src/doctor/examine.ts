import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { contracts } from '@millrace/api';
import { StoreUnavailable } from '@millrace/engine';
import { createSalesforce } from '@millrace/salesforce';
import { checkOrg } from '@millrace/store-salesforce';
import {
  type PartState,
  SchemaRefused,
  checkPostgres,
  openPg,
  planMigrations,
} from '@millrace/store-postgres';
import {
  type Finding,
  diskFinding,
  existing,
  missing,
  there,
  unknown,
} from '@millrace/workload-kit';
import { workloads } from '@millrace/workloads';
import type { Config, OrgConfig } from '../config/config.ts';
import type { RedisConfig } from '../config/redis.ts';
import { createKeys } from '../identity/keys.ts';
import { jobFiles } from '../jobs/folder.ts';
import { answerAt, requireFreePort } from '../port.ts';
import { SCHEMA_PARTS } from '../schema/parts.ts';
import { CHECK_ADDRESS, connectOptions, storePlace } from '../store.ts';
import { passwordOf } from '../stores/redis.ts';

/** Checks everything a server with these settings needs, one by one. Changes nothing. */
export async function* examine(config: Config): AsyncGenerator<Finding> {
  yield node(process.versions.node);
  yield await port(config);
  if (config.file !== null) yield await settingsFile(config.file);
  yield await database(config);
  if (config.databaseUrl !== null) yield* schema(config, config.databaseUrl);
  if (config.redis !== null) yield await redis(config.redis);
  if (config.jobsFolderNamed) yield await jobsFolder(config.jobsFolder);
  yield await issuer(config);
  for (const org of config.salesforce.orgs) yield await salesforceOrg(org);
  yield await diskFinding('data', config.dataFolder);
  for (const { name, examine: examineWorkload } of workloads)
    if (config.workloads.has(name)) yield* examineWorkload?.(config.workloads.get(name)) ?? [];
}

/** As package.json has it. */
const OLDEST_NODE = [20, 19] as const;

export function node(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return there('node', `Node ${version}.`);
  return missing(
    'node',
    `Node ${version} is too old.`,
    `Install ${OLDEST_NODE.join('.')} or newer.`,
  );
}

async function port({ host, port: number }: Config): Promise<Finding> {
  try {
    await requireFreePort({ host, port: number });
    return there('port', `Port ${number} on ${host} is free.`);
  } catch (error) {
    const health = await answerAt(`http://${host}:${number}/healthz`, contracts.healthz.response);
    const runs = `Millrace runs on port ${number} of ${host}`;
    if (health?.status === 'ok') return there('port', `${runs}.`);
    if (health?.status === 'stopped')
      return missing('port', `${runs}, and does nothing: ${health.detail}`, 'Restart it.');
    return missing('port', messageOf(error), 'PORT=0 takes a free one.');
  }
}

async function database(config: Config): Promise<Finding> {
  const place = storePlace(config);
  if (config.databaseUrl === null) {
    try {
      await writable(place);
      return there('database', `An embedded Postgres in ${place}.`);
    } catch (error) {
      return missing(
        'database',
        `${place} cannot be written: ${messageOf(error)}`,
        'Set MILLRACE_DATA to a folder that this user may write, or DATABASE_URL.',
      );
    }
  }
  const answer = await checkPostgres(connectOptions(config.databaseUrl, config.database));
  if ('version' in answer) return there('database', `Postgres ${answer.version} at ${place}.`);
  return missing(
    'database',
    `${place} cannot be used: ${answer.why.replace(/\.$/, '')}.`,
    CHECK_ADDRESS,
  );
}

/** Told only where the database lets us in: the finding before says why it does not. */
async function* schema(config: Config, url: string): AsyncGenerator<Finding> {
  const options = connectOptions(url, config.database);
  const opened = openPg({ ...options, poolSize: 1, answerWithinMs: LIMIT_MS });
  try {
    yield schemaFinding((await planMigrations(opened, SCHEMA_PARTS)).parts, config.migrate);
  } catch (error) {
    if (error instanceof SchemaRefused)
      yield missing('schema', error.message, '"millrace migrate --check" tells more.');
    else if (!(error instanceof StoreUnavailable)) throw error;
  } finally {
    await opened.close();
  }
}

function schemaFinding(parts: readonly PartState[], migratesItself: boolean): Finding {
  const pending = parts.flatMap((part) => part.pending.map(({ name }) => name));
  const newer = parts.flatMap((part) => part.newer);
  if (pending.length === 0)
    return there(
      'schema',
      newer.length === 0
        ? 'Up to date.'
        : `Of a newer Millrace (${newer.join(', ')}), with which this one goes on.`,
    );
  const count = pending.length === 1 ? '1 migration' : `${pending.length} migrations`;
  if (migratesItself) return there('schema', `The next start applies ${count}.`);
  return missing(
    'schema',
    `${count} of this version to apply, and MIGRATE is off.`,
    'Run "millrace migrate" as the owner of the schema.',
  );
}

/** On Windows the mode says nothing about who may read. */
async function settingsFile({ path, hasSecrets }: NonNullable<Config['file']>): Promise<Finding> {
  const { mode } = await stat(path);
  if (hasSecrets && process.platform !== 'win32' && (mode & OTHERS_READ) !== 0)
    return missing(
      'settings',
      `${path} has secrets in it, and everybody on this machine may read it.`,
      `chmod 600 ${path}`,
    );
  return there('settings', `From the environment, and from ${path}.`);
}

const OTHERS_READ = 0o004;

/** Lists the job files without loading them, which would run them. */
async function jobsFolder(folder: string): Promise<Finding> {
  try {
    const files = await jobFiles(folder, true);
    const count = files.length === 1 ? '1 job file' : `${files.length} job files`;
    return there('jobs', `${count} in ${resolve(folder)}.`);
  } catch (error) {
    return missing('jobs', messageOf(error), 'Name an existing folder.');
  }
}

/** Never says the URL: it may have a password. */
async function redis(config: RedisConfig): Promise<Finding> {
  const password = await passwordOf(config).catch((error: unknown) => new Error(messageOf(error)));
  if (password instanceof Error)
    return missing('Redis', password.message, 'Check REDIS_PASSWORD_FILE.');
  const { checkRedis } = await import('@millrace/store-bullmq');
  const answer = await checkRedis({
    url: config.url,
    answerWithinMs: LIMIT_MS,
    ...(password !== null && { password }),
  });
  if ('why' in answer)
    return missing(
      'Redis',
      `REDIS_URL cannot be used: ${answer.why}`,
      config.url.startsWith('rediss:')
        ? 'rediss:// speaks TLS: does this port? Without TLS it is redis://. Check host, user and password too.'
        : 'Check host, port, user and password, start it, or unset REDIS_URL.',
    );
  return there('Redis', [`Redis ${answer.version}.`, ...answer.warnings].join(' '));
}

async function issuer({ identity }: Config): Promise<Finding> {
  if (identity.mode === 'sandbox') return there('issuer', 'None is set: a sandbox of its own.');
  if (identity.mode === 'bypass')
    return there('issuer', 'AUTH_BYPASS_DEVELOPMENT: nobody is asked.');
  const keys = createKeys({
    uri: identity.jwksUri,
    now: () => performance.now(),
    onFailure: () => {},
  });
  const { count, failure } = await keys.check();
  if (failure === null)
    return there('issuer', `${count === 1 ? '1 key' : `${count} keys`} at ${identity.jwksUri}.`);
  return missing(
    'issuer',
    `${identity.jwksUri} gives no keys: ${failure}`,
    'Check JWKS_URI, and whether this machine may reach it.',
  );
}

async function salesforceOrg({ name, names, connection }: OrgConfig): Promise<Finding> {
  const check = `org ${name}`;
  const salesforce = createSalesforce(connection);
  try {
    for await (const finding of checkOrg({ salesforce, names, sample: undefined })) {
      if (finding.verdict === 'missing')
        return missing(
          check,
          finding.found,
          `${finding.advice ?? ''} "millrace salesforce check" has it all.`.trim(),
        );
      if (finding.check === 'login' && finding.verdict !== 'ok')
        return unknown(check, finding.found, finding.advice ?? 'Ask again when the org answers.');
    }
    return there(check, 'Nothing is missing.');
  } finally {
    await salesforce.close();
  }
}

async function writable(folder: string): Promise<void> {
  const place = await existing(resolve(folder));
  if (!(await stat(place)).isDirectory()) throw new Error(`${place} is a file, and no folder.`);
  await access(place, constants.W_OK);
}

const LIMIT_MS = 5_000;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
