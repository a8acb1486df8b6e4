import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { APEX_RUN } from '../package.ts';

/** A describe of an org that is published: jsforce has it as types, in which a field that can be null says so. */
const DESCRIBE = readFileSync(
  createRequire(import.meta.url)
    .resolve('jsforce')
    .replace(/lib\/.*$|index\.js$/, 'lib/types/standard-schema.d.ts'),
  'utf8',
);
/** Those of the interpreter that runs the package's tests: what these insert has to be enough for an org. */
const { standardObjects } = (await import(new URL('standard.mjs', APEX_RUN).href)) as Interpreter;

interface Interpreter {
  standardObjects(): Map<
    string,
    { name: string; fields: Map<string, { name: string; required: boolean }> }
  >;
}

/** Never null, and nothing that an insert has to give: Salesforce counts, defaults or derives it. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  Contact: ['Name'],
  Opportunity: ['ForecastCategory'],
  Case: ['CaseNumber', 'BusinessHoursId'],
  Campaign: [
    'NumberOfLeads',
    'NumberOfConvertedLeads',
    'NumberOfContacts',
    'NumberOfResponses',
    'NumberOfOpportunities',
    'NumberOfWonOpportunities',
    'AmountAllOpportunities',
    'AmountWonOpportunities',
  ],
  User: ['Name', 'CommunityNickname', 'DigestFrequency', 'DefaultGroupNotificationFrequency'],
  ContentVersion: [
    'ContentDocumentId',
    'Title',
    'SharingOption',
    'SharingPrivacy',
    'FileType',
    'PublishStatus',
    'Origin',
    'ContentLocation',
  ],
};
/** Can be null once they are there, but an insert without them is refused (Object Reference). */
const ASKED_FOR: Readonly<Record<string, readonly string[]>> = {
  ContentVersion: ['PathOnClient', 'VersionData'],
  ContentDocumentLink: ['ShareType'],
};
/** Nobody inserts them here. */
const ONLY_READ = [
  'UserLicense',
  'Profile',
  'PermissionSet',
  'ObjectPermissions',
  'ContentDocument',
  'AsyncApexJob',
  'UserRecordAccess',
];
const SYSTEM = /^(Id|OwnerId|(Created|LastModified)(Date|ById)|SystemModstamp)$/;

/** What an insert has to give, and every field there is. A Boolean is never null, and false by default. */
function described(object: string): { required: string[]; all: Set<string> } | null {
  const [, body] = new RegExp(`type Fields\\$${object} = \\{([^}]*)\\}`).exec(DESCRIBE) ?? [];
  if (body === undefined) return null;
  const fields = [...body.matchAll(/^\s*(\w+): (.*);$/gm)].map(([, name = '', type = '']) => ({
    name,
    isAskedFor: !/\| null|^boolean$/.test(type),
  }));
  const filled = FILLED_IN[object] ?? [];
  const required = fields
    .filter(({ name, isAskedFor }) => isAskedFor && !SYSTEM.test(name) && !filled.includes(name))
    .map(({ name }) => name);
  return {
    required: [...required, ...(ASKED_FOR[object] ?? [])],
    all: new Set(fields.map(({ name }) => name)),
  };
}

const compared = [...standardObjects().values()].flatMap(({ name, fields }) => {
  const found = described(name);
  return found === null ? [] : [{ name, fields: [...fields.values()], ...found }];
});

test('the describe has all of them but the sharing of our own object', () => {
  expect(compared).toHaveLength(standardObjects().size - 1);
});

test.each(compared)('$name has no field that the describe lacks', ({ fields, all }) => {
  const unknown = fields.filter((field) => !all.has(field.name) && !SYSTEM.test(field.name));
  expect(unknown.map((field) => field.name)).toEqual([]);
});

test.each(compared.filter(({ name }) => !ONLY_READ.includes(name)))(
  'an insert of $name is asked for what the describe says',
  ({ fields, required }) => {
    const asked = fields.filter((field) => field.required).map((field) => field.name);
    expect(asked.toSorted()).toEqual(required.toSorted());
  },
);
