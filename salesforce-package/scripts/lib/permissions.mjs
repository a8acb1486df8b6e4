// The field permissions of the permission sets, from one table: a new field is in all of them by `npm run permissions`.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ edit?: 'all' | readonly string[], hidden?: readonly string[] }} Rights of the fields of an object; the others are read */

/** @type {Record<string, Rights>} */
const SERVICE = {
  Docgen_Lease__c: { edit: 'all' },
  Docgen_Template__c: {},
  Generated_Document__c: { edit: 'all' },
};

/** By permission set and object. @type {Record<string, Record<string, Rights>>} */
export const RIGHTS = {
  Docgen_Admin: {
    Docgen_Lease__c: {},
    Docgen_Template__c: { edit: 'all' },
    // What someone may have to set right: stop it, free it, put it off, put it first.
    Generated_Document__c: {
      edit: [
        'CancelRequested__c',
        'LockedUntil__c',
        'MaxAttempts__c',
        'Priority__c',
        'ScheduledRetryTime__c',
      ],
    },
  },
  Docgen_Integration: SERVICE,
  Docgen_Objects: SERVICE,
  Docgen_User: {
    Docgen_Template__c: {},
    // What proves a lease, and what would let people tell that others have asked for the same.
    Generated_Document__c: {
      hidden: [
        'ClaimId__c',
        'Epoch__c',
        'LeaseToken__c',
        'PresentedToken__c',
        'RequestHash__c',
        'SettledToken__c',
        'Worker__c',
      ],
    },
  },
};

const BLOCKS = /(?:    <fieldPermissions>[^]*?<\/fieldPermissions>\n)+/;

/** Each permission set of the table, as it is and as it should be. @param {string} source force-app/main/default */
export function permissionSets(source) {
  return Object.entries(RIGHTS).map(([set, objects]) => {
    const path = join(source, 'permissionsets', `${set}.permissionset-meta.xml`);
    const stored = readFileSync(path, 'utf8');
    const blocks = Object.entries(objects).flatMap(([object, rights]) =>
      fieldsOf(source, object).map((field) => block(object, field, rights)),
    );
    return { path, stored, wanted: stored.replace(BLOCKS, () => blocks.join('')) };
  });
}

/** @param {string} source @returns {string[]} */
export function differsFromRights(source) {
  if (!existsSync(join(source, 'permissionsets'))) return [];
  return permissionSets(source)
    .filter(({ stored, wanted }) => stored !== wanted)
    .map(
      ({ path }) => `${path} differs from scripts/lib/permissions.mjs. Run: npm run permissions`,
    );
}

/** A required field has no permission of its own. @param {string} source @param {string} object */
function fieldsOf(source, object) {
  const folder = join(source, 'objects', object, 'fields');
  return readdirSync(folder)
    .filter((file) => !readFileSync(join(folder, file), 'utf8').includes('<required>true<'))
    .map((file) => file.replace('.field-meta.xml', ''))
    .toSorted((one, other) => (one < other ? -1 : 1));
}

/** @param {string} object @param {string} field @param {Rights} rights */
function block(object, field, { edit = [], hidden = [] }) {
  return `    <fieldPermissions>
        <editable>${edit === 'all' || edit.includes(field)}</editable>
        <field>${object}.${field}</field>
        <readable>${!hidden.includes(field)}</readable>
    </fieldPermissions>
`;
}
