import type { Salesforce, SalesforceError } from '@millrace/salesforce';
import { type Finding, asked, missing, ok, unknown } from './finding.ts';
import { type NameOptions, namesOf } from './records/names.ts';

export interface CheckOptions {
  readonly salesforce: Salesforce;
  readonly names?: NameOptions;
  /** A record that documents are made from; the newest document's own when left out. */
  readonly sample?: string | undefined;
}

/** Below this part of the day's calls, an hour of many documents may use up the rest. */
const LOW = 0.2;
const FIRST_VERSION = 59;
const CREDENTIAL = 'Docgen_Service';

interface Described {
  readonly createable: boolean;
  readonly updateable: boolean;
  readonly queryable: boolean;
  readonly fields: readonly { readonly name: string }[];
}

/** Reads, and changes nothing. Each finding comes as soon as it is known; without a login there is only the first. */
export async function* checkOrg({
  salesforce,
  names: options = {},
  sample,
}: CheckOptions): AsyncGenerator<Finding, void, undefined> {
  const names = namesOf(options);
  const entered = await enter(salesforce);
  yield* entered.findings;
  if (entered.userId === null) return;

  const apex = await askApex(salesforce, names.apex);
  const needed = [names.document, ...(apex.level === 'objects' ? [names.lease] : [])];
  const described = await asked(
    describeAll(salesforce, [...needed, 'ContentVersion', 'ContentDocumentLink']),
  );
  if ('error' in described) {
    yield unknown('objects', described.error.message, 'Ask again when the org answers.');
    return;
  }
  const descriptions = described.value;

  const lacking = needed.filter((name) => descriptions.get(name) === null);
  yield lacking.length === 0
    ? ok('objects', `${needed.join(' and ')}: there.`)
    : missing(
        'objects',
        `The user cannot see ${lacking.join(' and ')}.`,
        `Deploy salesforce-package, and assign ${setOf(apex.level)} to the user.`,
      );
  yield fieldsOf(descriptions.get(names.document) ?? null, Object.values(names.field), apex.level);
  yield apex.finding;
  yield permissionsOf(descriptions, names.document, apex.level);
  yield await sharing(salesforce, entered.userId, names, sample);
  yield apex.level === 'objects'
    ? ok('namedCredential', 'Not needed without the Apex.')
    : await credential(salesforce);
  yield await allowance(salesforce);
}

function setOf(level: Apex['level']): string {
  return level === 'objects' ? 'Docgen_Objects' : 'Docgen_Integration';
}

interface Entered {
  readonly findings: readonly Finding[];
  readonly userId: string | null;
}

/** The first page of the API says who is asking, for the version that is asked for. */
async function enter(salesforce: Salesforce): Promise<Entered> {
  const { apiVersion } = salesforce;
  const answer = await asked(
    salesforce.request<{ identity: string }>({
      method: 'GET',
      path: `/services/data/v${apiVersion}/`,
    }),
  );
  if ('error' in answer) {
    const { error } = answer;
    if (error.kind === 'notFound') {
      const advice = `Set SALESFORCE_API_VERSION to one that the org has, ${FIRST_VERSION}.0 or newer.`;
      const none = missing(
        'apiVersion',
        `The org has no version ${apiVersion} of the API.`,
        advice,
      );
      return { findings: [ok('login', 'The org gives a token.'), none], userId: null };
    }
    return { findings: [loginFailed(error)], userId: null };
  }
  const userId = answer.value.identity.split('/').at(-1) ?? '';
  const version =
    Number(apiVersion) >= FIRST_VERSION
      ? ok('apiVersion', `The org has version ${apiVersion}.`)
      : missing(
          'apiVersion',
          `Version ${apiVersion} is older than the package.`,
          `Set SALESFORCE_API_VERSION to ${FIRST_VERSION}.0 or newer.`,
        );
  return { findings: [ok('login', `The org knows the user ${userId}.`), version], userId };
}

function loginFailed(error: SalesforceError): Finding {
  if (error.kind === 'unavailable')
    return unknown(
      'login',
      error.message,
      'Look whether SALESFORCE_LOGIN_URL can be reached from here.',
    );
  return missing(
    'login',
    error.message,
    'Compare client id, user name and key or secret with the app in the org; the app must permit the user (docs/salesforce.md, step 3).',
  );
}

interface Apex {
  readonly level: 'apex' | 'objects' | 'unknown';
  readonly finding: Finding;
}

async function askApex(salesforce: Salesforce, path: string): Promise<Apex> {
  const answer = await asked(
    salesforce.apex<{ version: string }>({ method: 'GET', path: `${path}/version` }),
  );
  if ('value' in answer) {
    const { version } = answer.value;
    return {
      level: 'apex',
      finding: ok('apex', `The package's Apex answers, version ${version}.`),
    };
  }
  const { error } = answer;
  if (error.kind === 'notFound') {
    const found = 'No Apex: the service works with the objects alone.';
    return { level: 'objects', finding: ok('apex', found) };
  }
  if (error.code === 'INSUFFICIENT_ACCESS' || error.status === 403) {
    const advice = 'Assign the permission set Docgen_Integration to the user.';
    return { level: 'apex', finding: missing('apex', error.message, advice) };
  }
  return {
    level: 'unknown',
    finding: unknown(
      'apex',
      error.message,
      'Try again; if it stays so, look at the Apex jobs and logs of the org.',
    ),
  };
}

/** Null: the object is not there, or not for this user. */
async function describeAll(
  salesforce: Salesforce,
  names: readonly string[],
): Promise<ReadonlyMap<string, Described | null>> {
  const described = new Map<string, Described | null>();
  for (const name of names) {
    const path = `sobjects/${name}/describe`;
    const answer = await asked(salesforce.request<Described>({ method: 'GET', path }));
    if ('error' in answer && answer.error.kind !== 'notFound') throw answer.error;
    described.set(name, 'value' in answer ? answer.value : null);
  }
  return described;
}

/** Salesforce describes those alone that the user may see. */
function fieldsOf(
  document: Described | null,
  wanted: readonly string[],
  level: Apex['level'],
): Finding {
  if (document === null)
    return unknown('fields', 'Without the object, nothing is known of them.', 'See objects.');
  const there = new Set(document.fields.map(({ name }) => name.toLowerCase()));
  const lacking = wanted.filter((name) => !there.has(name.toLowerCase()));
  if (lacking.length === 0) return ok('fields', `All ${wanted.length} are there.`);
  return missing(
    'fields',
    `Not there, or not for this user: ${lacking.join(', ')}.`,
    `Deploy salesforce-package, and assign ${setOf(level)}; fields with other names are said in SALESFORCE_FIELDS.`,
  );
}

function permissionsOf(
  described: ReadonlyMap<string, Described | null>,
  document: string,
  level: Apex['level'],
): Finding {
  const wanted = [
    { object: document, right: 'updateable', verb: 'change' },
    { object: 'ContentVersion', right: 'createable', verb: 'create' },
    { object: 'ContentDocumentLink', right: 'createable', verb: 'create' },
  ] as const;
  const lacking = wanted.filter(({ object, right }) => described.get(object)?.[right] !== true);
  if (lacking.length === 0)
    return ok('permissions', 'The user may change documents, and create files and links.');
  return missing(
    'permissions',
    `The user may not ${lacking.map(({ object, verb }) => `${verb} ${object}`).join(', nor ')}.`,
    `Assign ${setOf(level)} to the user.`,
  );
}

async function sharing(
  salesforce: Salesforce,
  userId: string,
  names: ReturnType<typeof namesOf>,
  given: string | undefined,
): Promise<Finding> {
  const record = given ?? (await newestSubject(salesforce, names));
  if (record === null)
    return unknown(
      'sharing',
      'No document names a record to look at.',
      'Name one with --record ID.',
    );
  const answer = await asked(
    salesforce.query<{ HasReadAccess: boolean; HasEditAccess: boolean }>(
      `SELECT RecordId, HasReadAccess, HasEditAccess FROM UserRecordAccess WHERE UserId = '${userId}' AND RecordId = '${record}'`,
    ),
  );
  if ('error' in answer)
    return unknown('sharing', answer.error.message, 'Name a record with --record ID.');
  const [access] = answer.value;
  if (access?.HasEditAccess === true) return ok('sharing', `The user sees and edits ${record}.`);
  return missing(
    'sharing',
    access?.HasReadAccess === true
      ? `The user sees ${record}, and may not edit it.`
      : `The user cannot see ${record}.`,
    'A file is linked by who may edit the record: share such records with the user, or give it View All and Modify All on their object (docs/salesforce-linking.md).',
  );
}

async function newestSubject(
  salesforce: Salesforce,
  { document, field }: ReturnType<typeof namesOf>,
): Promise<string | null> {
  const answer = await asked(
    salesforce.query<Record<string, unknown>>(
      `SELECT ${field.subject} FROM ${document} WHERE ${field.subject} != null ORDER BY CreatedDate DESC LIMIT 1`,
    ),
  );
  const subject = 'value' in answer ? answer.value[0]?.[field.subject] : undefined;
  return typeof subject === 'string' && /^[a-zA-Z0-9]{15}([a-zA-Z0-9]{3})?$/.test(subject)
    ? subject
    : null;
}

/** The address as the org has it (Connect REST API, "Named Credential"): one that nobody entered is as bad as none. */
async function credential(salesforce: Salesforce): Promise<Finding> {
  const path = `named-credentials/named-credential-setup/${CREDENTIAL}`;
  const answer = await asked(
    salesforce.request<{ calloutUrl?: string | null }>({ method: 'GET', path }),
  );
  const advice =
    'Write it with scripts/connection.mjs of salesforce-package and deploy that (docs/salesforce.md, step 5).';
  if ('error' in answer) {
    if (answer.error.kind === 'notFound')
      return missing(
        'namedCredential',
        `There is no named credential ${CREDENTIAL}: the button's documents go through the queue.`,
        advice,
      );
    // Setup is not for an integration user, and need not be.
    return unknown(
      'namedCredential',
      `This user may not see named credentials (${answer.error.code}).`,
      `Look in Setup, Named Credentials, whether ${CREDENTIAL} is there and has your service's address.`,
    );
  }
  const address = answer.value.calloutUrl ?? '';
  if (isAddress(address)) return ok('namedCredential', `${CREDENTIAL} calls ${address}.`);
  return missing(
    'namedCredential',
    `${CREDENTIAL} calls ${address === '' ? 'nothing' : address}: the button's documents go through the queue.`,
    advice,
  );
}

/** No placeholder: example.com and its like belong to nobody (RFC 2606). */
function isAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' && !/(^|\.)example(\.(com|net|org))?$/.test(hostname);
}

async function allowance(salesforce: Salesforce): Promise<Finding> {
  const answer = await asked(salesforce.limits());
  const daily = 'value' in answer ? answer.value['DailyApiRequests'] : undefined;
  if (daily === undefined)
    return unknown(
      'allowance',
      'error' in answer ? answer.error.message : 'Salesforce does not say.',
      'Look in Setup, Company Information.',
    );
  const found = `${daily.Remaining} of ${daily.Max} calls are left today.`;
  if (daily.Remaining >= daily.Max * LOW) return ok('allowance', found);
  return missing(
    'allowance',
    found,
    'Look in Setup, API Usage, who uses them, or buy more; the service slows down before they are used up.',
  );
}
