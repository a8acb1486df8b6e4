// node scripts/connection.mjs --service URL --tenant ID --scope SCOPE [--out FOLDER]
//
// Writes what lets the org call the service: a named credential with its address, an external credential with the tenant and
// scope of Entra ID, and the permission set that may use them. Apart from force-app, because these are settings of one
// installation: who deploys the package again keeps them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** What the Apex calls (DocgenCallout). */
export const NAMED_CREDENTIAL = 'Docgen_Service';
const EXTERNAL_CREDENTIAL = 'Docgen_Entra';
const PRINCIPAL = 'Docgen_Service';
const PERMISSION_SET = 'Docgen_Call';
const API_VERSION = '59.0';

/** @typedef {{ service: string, tenant: string, scope: string }} Connection */

/** What is wrong with the settings, one sentence each. @param {Partial<Connection>} given @returns {string[]} */
export function problemsOf({ service = '', tenant = '', scope = '' }) {
  const problems = [];
  if (!URL.canParse(service) || !/^https:\/\/[^/?#]+\/?$/.test(service) || isExample(service))
    problems.push('--service: give the address of your service, such as https://docgen.acme.com.');
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(tenant) || /^[0-]+$/.test(tenant))
    problems.push('--tenant: give the Directory (tenant) ID of Entra ID, 36 characters.');
  if (!/^\S+\/\.default$/.test(scope))
    problems.push('--scope: give the scope of the service, api://CLIENT-ID/.default.');
  return problems;
}

/** @param {string} address */
function isExample(address) {
  return /(^|\.)example\.(com|org|net)$/.test(new URL(address).hostname);
}

/**
 * Files in the form of the Metadata API, by path. The token is kept as a UserExternalCredential: whoever calls after it has run
 * out, within the hour, has it renewed with rights of their own ("Permission Concepts for User External Credentials": Modify
 * All Records, for a named principal). Setup stays closed to them.
 *
 * @param {Connection} connection
 * @returns {Record<string, string>}
 */
export function connectionFiles({ service, tenant, scope }) {
  return {
    'package.xml': xml(
      'Package',
      `${members('ExternalCredential', EXTERNAL_CREDENTIAL)}${members('NamedCredential', NAMED_CREDENTIAL)}${members('PermissionSet', PERMISSION_SET)}    <version>${API_VERSION}</version>
`,
    ),
    [`externalCredentials/${EXTERNAL_CREDENTIAL}.externalCredential`]: xml(
      'ExternalCredential',
      `    <authenticationProtocol>Oauth</authenticationProtocol>
    <description>Entra ID, client credentials. Enter client id and secret on the principal.</description>
${parameter('DefaultGroup', 'Oauth', 'AuthProtocolVariant', 'ClientCredentialsClientSecret')}${parameter(
        'DefaultGroup',
        'AuthProviderUrl',
        'AuthProviderUrl',
        `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
      )}${parameter('DefaultGroup', 'Scope', 'AuthParameter', scope)}    <externalCredentialParameters>
        <parameterGroup>${PRINCIPAL}</parameterGroup>
        <parameterName>${PRINCIPAL}</parameterName>
        <parameterType>NamedPrincipal</parameterType>
        <sequenceNumber>1</sequenceNumber>
    </externalCredentialParameters>
    <label>Docgen Entra</label>
`,
    ),
    [`namedCredentials/${NAMED_CREDENTIAL}.namedCredential`]: xml(
      'NamedCredential',
      `    <allowMergeFieldsInBody>false</allowMergeFieldsInBody>
    <allowMergeFieldsInHeader>false</allowMergeFieldsInHeader>
    <generateAuthorizationHeader>true</generateAuthorizationHeader>
    <label>Docgen Service</label>
    <namedCredentialParameters>
        <parameterName>Url</parameterName>
        <parameterType>Url</parameterType>
        <parameterValue>${escaped(service.replace(/\/$/, ''))}</parameterValue>
    </namedCredentialParameters>
    <namedCredentialParameters>
        <externalCredential>${EXTERNAL_CREDENTIAL}</externalCredential>
        <parameterName>ExternalCredential</parameterName>
        <parameterType>Authentication</parameterType>
    </namedCredentialParameters>
    <namedCredentialType>SecuredEndpoint</namedCredentialType>
`,
    ),
    [`permissionsets/${PERMISSION_SET}.permissionset`]: xml(
      'PermissionSet',
      `    <description>Calls the service at once, from the button.</description>
    <externalCredentialPrincipalAccesses>
        <enabled>true</enabled>
        <externalCredentialPrincipal>${EXTERNAL_CREDENTIAL}-${PRINCIPAL}</externalCredentialPrincipal>
    </externalCredentialPrincipalAccesses>
    <label>Docgen Call</label>
    <objectPermissions>
        <allowCreate>false</allowCreate>
        <allowDelete>true</allowDelete>
        <allowEdit>true</allowEdit>
        <allowRead>true</allowRead>
        <modifyAllRecords>true</modifyAllRecords>
        <object>UserExternalCredential</object>
        <viewAllRecords>true</viewAllRecords>
    </objectPermissions>
`,
    ),
  };
}

/** @param {string} root @param {string} body */
function xml(root, body) {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${root} xmlns="http://soap.sforce.com/2006/04/metadata">
${body}</${root}>
`;
}

/** @param {string} type @param {string} name */
function members(type, name) {
  return `    <types>
        <members>${name}</members>
        <name>${type}</name>
    </types>
`;
}

/** @param {string} group @param {string} name @param {string} type @param {string} value */
function parameter(group, name, type, value) {
  return `    <externalCredentialParameters>
        <parameterGroup>${group}</parameterGroup>
        <parameterName>${name}</parameterName>
        <parameterType>${type}</parameterType>
        <parameterValue>${escaped(value)}</parameterValue>
    </externalCredentialParameters>
`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      service: { type: 'string', default: '' },
      tenant: { type: 'string', default: '' },
      scope: { type: 'string', default: '' },
      out: { type: 'string', default: 'connection' },
    },
  });
  const problems = problemsOf(values);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 2;
  else {
    for (const [path, text] of Object.entries(connectionFiles(values))) {
      const target = join(values.out, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text);
    }
    console.log(`${values.out}: sf project deploy start --metadata-dir ${values.out}`);
  }
}
