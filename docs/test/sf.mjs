// Stands in for Salesforce's command line (sf), as far as the documentation uses it. What reads and writes records talks to
// the simulated org at SF_URL. Of what only a real org can do (log in by browser, deploy, assign), it checks that the
// files and names are there. A flag that the real command does not have is refused.

import { createSign } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const { SF_URL = '', SF_CLIENT_ID = '', SF_CLIENT_SECRET = '', SF_PACKAGE = '' } = process.env;
const VERSION = 'v59.0';
/** Flags without a value. */
const SWITCHES = ['dry-run'];

/**
 * @typedef {Readonly<Record<string, string>>} Flags
 * @typedef {{ flags: readonly string[], run: (flags: Flags, words: readonly string[]) => unknown }} Command
 */

/** @type {Readonly<Record<string, Command>>} */
const COMMANDS = {
  'org login web': { flags: ['alias', 'instance-url'], run: () => say('Authorized.') },
  'org login jwt': {
    flags: ['client-id', 'jwt-key-file', 'username', 'instance-url', 'alias'],
    run: async (flags) => {
      await tokenOf({ grant_type: JWT_BEARER, assertion: assertionOf(flags) });
      say(`Successfully authorized ${flags['username']}`);
    },
  },
  'org assign permset': {
    flags: ['name', 'on-behalf-of', 'target-org'],
    run: ({ name = '' }) => {
      const folder = join(SF_PACKAGE, 'force-app/main/default/permissionsets');
      mustExist(join(folder, `${name}.permissionset-meta.xml`));
      say(`Permission Set Assignment: ${name}`);
    },
  },
  'org assign permsetlicense': {
    flags: ['name', 'on-behalf-of', 'target-org'],
    run: ({ name }) => say(`Permission Set License Assignment: ${name}`),
  },
  'project deploy start': {
    flags: ['source-dir', 'metadata-dir', 'target-org', 'test-level', 'dry-run'],
    run: (flags) => {
      mustExist('sfdx-project.json');
      if (flags['metadata-dir']) mustExist(join(flags['metadata-dir'], 'package.xml'));
      else mustExist(flags['source-dir'] ?? '');
      say('Deployed Source');
    },
  },
  'data query': {
    flags: ['query', 'target-org'],
    run: async ({ query = '' }) => {
      const { records } = await call('GET', `query?q=${encodeURIComponent(query)}`);
      for (const record of records) say(JSON.stringify({ ...record, attributes: undefined }));
      say(`Total number of records retrieved: ${records.length}.`);
    },
  },
  'data create record': {
    flags: ['sobject', 'values', 'target-org'],
    run: async ({ sobject, values = '' }) => {
      const { id } = await call('POST', `sobjects/${sobject}`, valuesOf(values));
      say(`Successfully created record: ${id}.`);
    },
  },
  'data update record': {
    flags: ['sobject', 'record-id', 'values', 'target-org'],
    run: async ({ sobject, 'record-id': id, values = '' }) => {
      await call('PATCH', `sobjects/${sobject}/${id}`, valuesOf(values));
      say(`Successfully updated record: ${id}.`);
    },
  },
  'data create file': {
    flags: ['file', 'title', 'parent-id', 'target-org'],
    run: async ({ file = '', title, 'parent-id': parent }) => {
      const { id } = await call('POST', 'sobjects/ContentVersion', {
        PathOnClient: basename(file),
        ...(title && { Title: title }),
        VersionData: readFileSync(file).toString('base64'),
      });
      const { ContentDocumentId } = await call('GET', `sobjects/ContentVersion/${id}`);
      if (parent)
        await call('POST', 'sobjects/ContentDocumentLink', {
          ContentDocumentId,
          LinkedEntityId: parent,
          ShareType: 'V',
        });
      say(`Created file with ContentDocumentId ${ContentDocumentId}.`);
    },
  },
  'api request rest': {
    flags: ['method', 'body', 'target-org'],
    run: async ({ method = 'GET', body = '' }, [path = '']) => {
      const prefix = `/services/data/${VERSION}/`;
      if (!path.startsWith(prefix)) throw new Error(`Begin the path with ${prefix}.`);
      const text = body.startsWith('@') ? readFileSync(body.slice(1), 'utf8') : body;
      const answer = await call(method, path.slice(prefix.length), JSON.parse(text || 'null'));
      say(JSON.stringify(answer));
    },
  },
};

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {string} path */
function mustExist(path) {
  if (path === '' || !existsSync(path)) throw new Error(`There is no ${path}.`);
}

/** @param {Flags} flags */
function assertionOf(flags) {
  const encoded = (/** @type {object} */ value) =>
    Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: flags['client-id'],
    sub: flags['username'],
    aud: flags['instance-url'],
    exp: Math.floor(Date.now() / 1000) + 120,
  };
  const signed = `${encoded({ alg: 'RS256' })}.${encoded(claims)}`;
  const key = readFileSync(flags['jwt-key-file'] ?? '');
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}

/** @param {Record<string, string>} form */
async function tokenOf(form) {
  const body = new URLSearchParams(form);
  const response = await fetch(`${SF_URL}/services/oauth2/token`, { method: 'POST', body });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error}: ${answer.error_description}`);
  return answer.access_token;
}

/** @param {string} method @param {string} path @param {unknown} [body] */
async function call(method, path, body) {
  const token = await tokenOf({
    grant_type: 'client_credentials',
    client_id: SF_CLIENT_ID,
    client_secret: SF_CLIENT_SECRET,
  });
  const response = await fetch(`${SF_URL}/services/data/${VERSION}/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text === '' ? null : JSON.parse(text);
}

/** `Name='Two words' Status__c=QUEUED`. @param {string} text */
function valuesOf(text) {
  const pairs = [...text.matchAll(/(\w+)=(?:'([^']*)'|(\S*))(?:\s+|$)/g)];
  if (pairs.map(([pair]) => pair).join('') !== text)
    throw new Error(`--values: cannot read ${text}`);
  return Object.fromEntries(
    pairs.map(([, name, quoted, bare]) => [name, quoted ?? (bare === '' ? null : bare)]),
  );
}

/** @param {readonly string[]} args */
function read(args) {
  const first = args.findIndex((arg) => arg.startsWith('--'));
  const words = first === -1 ? [...args] : args.slice(0, first);
  const name = Object.keys(COMMANDS).find((each) => `${words.join(' ')} `.startsWith(`${each} `));
  const command = COMMANDS[name ?? ''];
  if (name === undefined || command === undefined)
    throw new Error(`There is no sf ${words.join(' ')}.`);
  /** @type {Record<string, string>} */
  const flags = {};
  for (const rest = args.slice(words.length); rest.length > 0;) {
    const flag = String(rest.shift()).replace(/^--/, '');
    if (!command.flags.includes(flag)) throw new Error(`sf ${name} has no --${flag}.`);
    flags[flag] = SWITCHES.includes(flag) ? 'true' : (rest.shift() ?? '');
    if (flags[flag] === '') throw new Error(`--${flag} is empty.`);
  }
  return { command, flags, words: words.slice(name.split(' ').length) };
}

try {
  const { command, flags, words } = read(process.argv.slice(2));
  await command.run(flags, words);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
