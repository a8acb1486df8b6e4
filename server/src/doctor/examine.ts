import { access, constants, statfs } from 'node:fs/promises';
import { type Finding, ok, missing, unknown } from './finding.ts';
import { dirname, resolve } from 'node:path';
import { findOffice, installedFonts } from '@millrace/office';
import { createSalesforce } from '@millrace/salesforce';
import { checkOrg } from '@millrace/store-salesforce';
import { checkPostgres } from '@millrace/store-postgres';
import type { Config, OrgConfig } from '../config/config.ts';
import { createKeys } from '../identity/keys.ts';
import { requireFreePort } from '../port.ts';
import { storePlace } from '../store.ts';
import { pingRedis } from './redis.ts';

/** What the process would stand on if it were started with these settings, one after the other. Nothing is changed. */
export async function* examine(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Finding> {
  yield node(process.versions.node);
  yield await port(config);
  yield await database(config);
  if (config.documents !== null) {
    yield await office(config.documents.officePath);
    yield await fonts();
  }
  if (env['REDIS_URL']) yield await redis(env['REDIS_URL']);
  yield await issuer(config);
  for (const org of config.salesforce.orgs) yield await salesforceOrg(org);
  yield await disk('data', config.dataFolder);
  if (config.documents !== null) yield await disk('work folder', config.documents.workdir);
}

/** As package.json has it. */
const OLDEST_NODE = [20, 19] as const;

export function node(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return ok('node', `Node ${version}.`);
  return missing(
    'node',
    `Node ${version} is too old.`,
    `Install ${OLDEST_NODE.join('.')} or newer.`,
  );
}

async function port({ host, port: number }: Config): Promise<Finding> {
  try {
    await requireFreePort({ host, port: number });
    return ok('port', `Port ${number} on ${host} is free.`);
  } catch (error) {
    const isOurs = await answersAsMillrace(`http://${host}:${number}/healthz`);
    if (isOurs) return ok('port', `Millrace runs on port ${number} of ${host}.`);
    return missing('port', messageOf(error), 'PORT=0 takes a free one.');
  }
}

async function answersAsMillrace(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
    return ((await response.json()) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}

async function database(config: Config): Promise<Finding> {
  const place = storePlace(config);
  if (config.databaseUrl === null) {
    try {
      await writable(place);
      return ok('database', `An embedded Postgres in ${place}.`);
    } catch (error) {
      return missing(
        'database',
        `${place} cannot be written: ${messageOf(error)}`,
        'Set MILLRACE_DATA to a folder that this user may write, or DATABASE_URL.',
      );
    }
  }
  const answer = await checkPostgres(config.databaseUrl);
  if ('version' in answer) return ok('database', `Postgres ${answer.version} at ${place}.`);
  return missing(
    'database',
    `${place} does not let us in: ${answer.why}`,
    'Check DATABASE_URL: host, port, user, password, database.',
  );
}

async function office(path: string | undefined): Promise<Finding> {
  const search = await findOffice(path);
  if ('missing' in search)
    return missing('LibreOffice', search.missing, 'Without it documents are made as DOCX only.');
  const { version, program } = search.found;
  return ok('LibreOffice', `LibreOffice ${version.major}.${version.minor} in ${program}.`);
}

/** Each as wide as the font that it stands in for, with the Debian package that has it. */
const FONTS: Readonly<Record<string, string>> = {
  'Liberation Sans': 'fonts-liberation',
  Carlito: 'fonts-crosextra-carlito',
  Caladea: 'fonts-crosextra-caladea',
  'Noto Sans CJK JP': 'fonts-noto-cjk',
};

async function fonts(): Promise<Finding> {
  const installed = await installedFonts();
  if (installed === null)
    return unknown('fonts', 'fontconfig is not there to be asked.', 'Install fontconfig.');
  const lacking = Object.keys(FONTS).filter((name) => !installed.includes(name));
  if (lacking.length === 0) return ok('fonts', `${installed.length} font families.`);
  const packages = lacking.map((name) => FONTS[name]).join(' ');
  return missing(
    'fonts',
    `${lacking.join(', ')}: not installed, so such text looks different.`,
    `On Debian and Ubuntu: apt-get install ${packages}`,
  );
}

async function redis(url: string): Promise<Finding> {
  const trouble = await pingRedis(url, LIMIT_MS);
  return trouble === null
    ? ok('Redis', 'Redis answers.')
    : missing('Redis', `REDIS_URL: ${trouble}`, 'Start it, or unset REDIS_URL.');
}

async function issuer({ identity }: Config): Promise<Finding> {
  if (identity.mode === 'sandbox') return ok('issuer', 'None is set: a sandbox of its own.');
  if (identity.mode === 'bypass') return ok('issuer', 'AUTH_BYPASS_DEVELOPMENT: nobody is asked.');
  const keys = createKeys({
    uri: identity.jwksUri,
    now: () => performance.now(),
    fetch: globalThis.fetch,
    onFailure: () => {},
  });
  const { count, failure } = await keys.check();
  if (failure === null) return ok('issuer', `${count} keys at ${identity.jwksUri}.`);
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
    return ok(check, 'Nothing is missing.');
  } finally {
    await salesforce.close();
  }
}

const LEAST_BYTES = 1_000_000_000;

async function disk(what: string, folder: string): Promise<Finding> {
  const place = resolve(folder);
  try {
    const { bavail, bsize } = await statfs(await existing(place));
    const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB free for ${place}.`;
    if (bavail * bsize >= LEAST_BYTES) return ok(`disk (${what})`, free);
    return missing(`disk (${what})`, free, 'Make room: under 1 GB a batch may fill it.');
  } catch (error) {
    return unknown(`disk (${what})`, messageOf(error), 'Name a folder that can be read.');
  }
}

/** The folder, or the nearest above it that is there. */
async function existing(folder: string): Promise<string> {
  try {
    await access(folder);
    return folder;
  } catch (error) {
    if (dirname(folder) === folder) throw error;
    return existing(dirname(folder));
  }
}

async function writable(folder: string): Promise<void> {
  await access(await existing(resolve(folder)), constants.W_OK);
}

const LIMIT_MS = 5_000;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
