// An org for the tests: tables, users and what they may do.

import {
  componentsIn,
  descendants,
  readXml,
  textOf as xmlText,
  textsOf,
} from '../lib/metadata.mjs';
import { join } from 'node:path';
import { checksum } from './library.mjs';
import { DmlError } from './records.mjs';
import { loadSchema } from './schema.mjs';
import { ApexDate, ApexError, Datetime, Decimal, isNumber, textOf, toDecimal } from './values.mjs';

/**
 * @typedef {import('./schema.mjs').ObjectType} ObjectType
 * @typedef {import('./schema.mjs').Field} Field
 * @typedef {Map<string, Map<string, Map<string, unknown>>>} Tables
 * @typedef {{ objects: Map<string, Set<string>>, readable: Set<string>, editable: Set<string>, permissions: Set<string> }} Rights
 */

/** A maker of empty orgs: each test has its own, and the metadata is read once. @param {string} source force-app/main/default */
export function orgMaker(source) {
  const schema = loadSchema(source);
  const rights = new Map(
    componentsIn(source, 'permissionsets', '.permissionset-meta.xml').map((name) => [
      name,
      rightsOf(readXml(join(source, 'permissionsets', `${name}.permissionset-meta.xml`))),
    ]),
  );
  return () => new Org(schema, rights);
}

/** @param {import('../lib/metadata.mjs').Element} element @returns {Rights} */
function rightsOf(element) {
  const fieldsThat = (/** @type {string} */ right) =>
    new Set(
      descendants(element, 'fieldPermissions')
        .filter((each) => xmlText(each, right) === 'true')
        .map((each) => xmlText(each, 'field').toLowerCase()),
    );
  return {
    objects: new Map(
      descendants(element, 'objectPermissions').map((each) => [
        xmlText(each, 'object').toLowerCase(),
        new Set(
          ['allowRead', 'allowCreate', 'allowEdit', 'allowDelete', 'viewAllRecords'].filter(
            (right) => xmlText(each, right) === 'true',
          ),
        ),
      ]),
    ),
    readable: fieldsThat('readable'),
    editable: fieldsThat('editable'),
    permissions: new Set(
      descendants(element, 'customPermissions').flatMap((each) => textsOf(each, 'name')),
    ),
  };
}

/** What a write needs, by permission. @type {Record<string, string>} */
const WRITES = { insert: 'allowCreate', update: 'allowEdit', delete: 'allowDelete' };

export class Org {
  /** @param {Map<string, ObjectType>} schema @param {Map<string, Rights>} rights */
  constructor(schema, rights) {
    this.schema = schema;
    this.rights = rights;
    /** @type {Map<string, Map<string, Map<string, unknown>>>} */
    this.tables = new Map();
    this.committed = this.tables;
    /** Ids that this transaction has, and those that others have. @type {Set<string>} */
    this.held = new Set();
    /** @type {Set<string>} */
    this.others = new Set();
    /** @type {(() => void) | undefined} */
    this.beforeLock = undefined;
    /** @type {((type: ObjectType) => Map<string, unknown> | undefined) | undefined} */
    this.ruleUpdate = undefined;
    this.lastNumber = 0;
    const userlicenseid = this.add('UserLicense', { name: 'Salesforce' });
    const profileid = this.add('Profile', { name: 'System Administrator', userlicenseid });
    this.adminId = profileid;
    this.integrationLicense = this.add('UserLicense', { name: 'Cloud Integration User' });
    this.addProfile('Sales Insights Integration User', this.integrationLicense);
    this.addProfile('Standardbenutzer', userlicenseid);
    for (const name of rights.keys()) this.add('PermissionSet', { name });
    this.standardPricebookId = this.add('Pricebook2', {
      name: 'Standard Price Book',
      isactive: true,
      isstandard: true,
    });
    this.adminId = this.add('User', {
      username: 'admin@example.com',
      email: 'admin@example.com',
      alias: 'admin',
      lastname: 'Admin',
      name: 'Admin',
      emailencodingkey: 'UTF-8',
      languagelocalekey: 'en_US',
      localesidkey: 'en_US',
      timezonesidkey: 'Europe/Berlin',
      profileid,
    });
    this.userId = this.adminId;
  }

  /** What an org has before anybody comes. @param {string} type @param {Record<string, unknown>} values */
  add(type, values) {
    return this.insert(this.type(type), new Map(Object.entries(values)), '');
  }

  /** A profile whose users see only shared records; the org's language is German. @param {string} name @param {string} userlicenseid */
  addProfile(name, userlicenseid) {
    const profileid = this.add('Profile', { name, usertype: 'Standard', userlicenseid });
    const parentid = this.add('PermissionSet', { isownedbyprofile: true, profileid });
    const rights = { sobjecttype: 'Opportunity', permissionscreate: true, parentid };
    this.add('ObjectPermissions', rights);
  }

  /** @param {string} name @returns {ObjectType} */
  type(name) {
    const found = this.schema.get(name.toLowerCase());
    if (found === undefined) throw new Error(`There is no object ${name}.`);
    return found;
  }

  /** @param {ObjectType} type */
  table(type) {
    const known = this.tables.get(type.name) ?? new Map();
    this.tables.set(type.name, known);
    return known;
  }

  /** @param {ObjectType} type */
  rows(type) {
    return this.table(type).values();
  }

  /** @param {ObjectType} type @param {string} id */
  byId(type, id) {
    return this.table(type).get(id);
  }

  /** @param {Map<string, unknown>} row @param {Field} field */
  read(row, field) {
    return row.get(field.name.toLowerCase()) ?? null;
  }

  /**
   * Until the transaction ends. Who wants a row that another transaction has gets none: 10 s are over at once here.
   *
   * @param {string[]} ids
   */
  lock(ids) {
    this.beforeLock?.();
    if (ids.some((id) => this.others.has(id)))
      throw new ApexError('QueryException', 'Record Currently Unavailable');
    for (const id of ids) this.held.add(id);
  }

  /** What is written so far is there for everybody. */
  commit() {
    this.committed = copied(this.tables);
    this.held = new Set();
  }

  /**
   * Another transaction, from its beginning to its commit, while this one waits: it sees what is committed, and none of the
   * rows that this one holds are to be had.
   *
   * @template T @param {() => T} work @returns {T}
   */
  aside(work) {
    const { tables, committed, held, beforeLock } = this;
    this.tables = copied(committed);
    this.others = held;
    this.held = new Set();
    this.beforeLock = undefined;
    try {
      return work();
    } catch (error) {
      this.tables = committed; // rolled back
      throw error;
    } finally {
      this.committed = copied(this.tables);
      this.tables = over(this.tables, committed, tables);
      this.others = new Set();
      this.held = held;
      this.beforeLock = beforeLock;
    }
  }

  now() {
    return Date.now();
  }

  publish() {}

  /** Rows are never changed in place, so a copy of the tables is enough. */
  mark() {
    return { tables: copied(this.tables), committed: this.committed };
  }

  /** What others have committed since then stays. @param {{ tables: Tables, committed: Tables }} mark */
  rollbackTo({ tables, committed }) {
    this.tables = committed === this.committed ? tables : over(this.committed, committed, tables);
  }

  /** @param {string} id @returns {ObjectType | undefined} */
  typeOfId(id) {
    return [...this.schema.values()].find(({ prefix }) => id.startsWith(prefix));
  }

  /** @param {ObjectType} type @param {Map<string, unknown>} values @param {string} [owner] */
  insert(type, values, owner = this.userId) {
    this.lastNumber += 1;
    const short = `${type.prefix}Xy0${String(this.lastNumber).padStart(9, '0')}`;
    const id = short + checksum(short);
    const row = new Map();
    for (const field of type.fields.values())
      row.set(field.name.toLowerCase(), stored(field, field.initial));
    for (const [name, value] of values) row.set(name, stored(this.field(type, name), value));
    row.set('id', id);
    row.set('createddate', new Datetime(Math.floor(Date.now() / 1000) * 1000));
    row.set('createdbyid', owner);
    if (row.has('ownerid') && row.get('ownerid') === null) row.set('ownerid', owner);
    if (type.prefix.startsWith('a')) row.set('name', row.get('name') ?? `N-${this.lastNumber}`);
    this.validate(type, row);
    if (type.name === 'User') this.checkLicense(textOf(row.get('profileid')));
    this.table(type).set(id, row);
    if (type.name === 'ContentVersion') {
      const title = row.get('title');
      row.set(
        'contentdocumentid',
        this.insert(this.type('ContentDocument'), new Map([['title', title]]), owner),
      );
    }
    return id;
  }

  /** @param {ObjectType} type @param {string} id @param {Map<string, unknown>} values */
  update(type, id, values) {
    // A write waits for the record too, where no query has it already.
    if (!this.held.has(id)) this.beforeLock?.();
    const row = this.table(type).get(id);
    if (row === undefined) throw new DmlError('ENTITY_IS_DELETED', 'entity is deleted');
    if (this.others.has(id))
      throw new DmlError('UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access to this record');
    this.held.add(id);
    const changed = new Map(row);
    for (const [name, value] of values) {
      // Read-only ones that a query brought along are ignored.
      if (!['createddate', 'createdbyid', 'id'].includes(name) && type.fields.has(name))
        changed.set(name, stored(this.field(type, name), value));
    }
    this.validate(type, changed);
    this.table(type).set(id, changed);
  }

  /** @param {ObjectType} type @param {string} id */
  delete(type, id) {
    if (!this.table(type).delete(id)) throw new DmlError('ENTITY_IS_DELETED', 'entity is deleted');
    if (type.name === 'ContentDocument')
      for (const [versionId, row] of this.table(this.type('ContentVersion')))
        if (row.get('contentdocumentid') === id)
          this.table(this.type('ContentVersion')).delete(versionId);
  }

  /** @param {ObjectType} type @param {string} name @returns {Field} */
  field(type, name) {
    const found = type.fields.get(name);
    if (found === undefined) throw new Error(`${type.name} has no field ${name}.`);
    return found;
  }

  /** @param {ObjectType} type @param {Map<string, unknown>} row */
  validate(type, row) {
    const isEmpty = (/** @type {string} */ name) => (row.get(name.toLowerCase()) ?? null) === null;
    for (const group of type.oneOf)
      if (group.every(isEmpty))
        throw new DmlError(
          'REQUIRED_FIELD_MISSING',
          `Required fields are missing: [${group.join(' or ')}]`,
        );
    for (const field of type.fields.values()) {
      const value = row.get(field.name.toLowerCase()) ?? null;
      if (value === null) {
        if (field.required)
          throw new DmlError(
            'REQUIRED_FIELD_MISSING',
            `Required fields are missing: [${field.name}]`,
          );
        continue;
      }
      if (field.length > 0 && typeof value === 'string' && value.length > field.length)
        throw new DmlError('STRING_TOO_LONG', `${field.name}: data value too large`);
      if (field.values.length > 0 && !field.values.includes(textOf(value)))
        throw new DmlError(
          'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
          `bad value for restricted picklist field: ${textOf(value)}`,
        );
      if (field.unique) this.checkUnique(type, field, row, textOf(value));
    }
  }

  /** Users of integrations are made by the platform itself. @param {string} profileId */
  checkLicense(profileId) {
    const profile = this.byId(this.type('Profile'), profileId);
    if (profile?.get('userlicenseid') === this.integrationLicense)
      throw new DmlError('LICENSE_LIMIT_EXCEEDED', 'License Limit Exceeded');
  }

  /** @param {ObjectType} type @param {Field} field @param {Map<string, unknown>} row @param {string} value */
  checkUnique(type, field, row, value) {
    const key = (/** @type {string} */ text) => (field.caseSensitive ? text : text.toLowerCase());
    for (const [id, other] of this.table(type)) {
      const there = other.get(field.name.toLowerCase());
      if (id !== row.get('id') && typeof there === 'string' && key(there) === key(value))
        throw new DmlError(
          'DUPLICATE_VALUE',
          `duplicate value found: ${field.name} duplicates value on record with id: ${id}`,
        );
    }
  }

  // --- what the user may see

  isAdmin() {
    return this.userId === this.adminId;
  }

  /** @returns {Rights[]} */
  granted() {
    const sets = this.table(this.type('PermissionSet'));
    return [...this.table(this.type('PermissionSetAssignment')).values()]
      .filter((row) => row.get('assigneeid') === this.userId)
      .flatMap(
        (row) =>
          this.rights.get(textOf(sets.get(textOf(row.get('permissionsetid')))?.get('name'))) ?? [],
      );
  }

  /** @param {ObjectType} type @param {string} right */
  hasObjectRight(type, right) {
    const isCustom = /__[ce]$/.test(type.name);
    return (
      this.isAdmin() ||
      !isCustom ||
      this.granted().some(({ objects }) => objects.get(type.name.toLowerCase())?.has(right))
    );
  }

  /** @param {ObjectType} type */
  mayReadObject(type) {
    return this.hasObjectRight(type, 'allowRead');
  }

  /**
   * Nobody is exempt, the administrator neither: "Modify All Data" is a right to objects and records, and a field that the
   * Metadata API brings along is visible to those alone whom a profile or permission set in the same or a later deployment
   * names (Metadata API Developer Guide, "Profile", fieldPermissions). A required field has no permission of its own.
   *
   * @param {ObjectType} type @param {Field} field @param {'readable' | 'editable'} [right]
   */
  mayReadField(type, field, right = 'readable') {
    const key = `${type.name}.${field.name}`.toLowerCase();
    return (
      !field.name.endsWith('__c') ||
      field.required ||
      this.granted().some((rights) => rights[right].has(key))
    );
  }

  /** For a write `as user`. @param {string} kind @param {ObjectType} type @param {string[]} names of the fields that are written */
  mayWrite(kind, type, names) {
    return (
      this.hasObjectRight(type, WRITES[kind] ?? '') &&
      (kind === 'delete' ||
        names.every((name) => {
          const field = type.fields.get(name);
          return field === undefined || this.mayReadField(type, field, 'editable');
        }))
    );
  }

  /** Everything is private but templates; a file is for those who see what it is linked to. @param {ObjectType} type @param {Map<string, unknown>} row @returns {boolean} */
  maySee(type, row) {
    if (row.get('ownerid') === this.userId) return true;
    if (type.name === 'ContentVersion' || type.name === 'ContentDocument')
      return this.maySeeFile(type, row);
    if (this.isAdmin()) return true;
    // A line belongs to its opportunity (master-detail).
    if (type.name === 'OpportunityLineItem') return this.maySeeId(textOf(row.get('opportunityid')));
    if (!row.has('ownerid')) return true;
    if (
      ['Docgen_Template__c', 'Profile', 'PermissionSet', 'User', 'UserRecordAccess'].includes(
        type.name,
      )
    )
      return true;
    if (
      this.granted().some(({ objects }) =>
        objects.get(type.name.toLowerCase())?.has('viewAllRecords'),
      )
    )
      return true;
    return [...this.table(this.type('Generated_Document__Share')).values()].some(
      (share) =>
        share.get('parentid') === row.get('id') && share.get('userorgroupid') === this.userId,
    );
  }

  /** "View All Data" is a right to records: a file that hangs at none is its owner's. @param {ObjectType} type @param {Map<string, unknown>} row */
  maySeeFile(type, row) {
    const documentId = row.get(type.name === 'ContentVersion' ? 'contentdocumentid' : 'id');
    return [...this.table(this.type('ContentDocumentLink')).values()]
      .filter((link) => link.get('contentdocumentid') === documentId)
      .some((link) => this.maySeeId(textOf(link.get('linkedentityid'))));
  }

  /** @param {string} name of a custom permission */
  hasPermission(name) {
    return this.granted().some(({ permissions }) => permissions.has(name));
  }

  /** The owner may. @param {string} id */
  mayEdit(id) {
    const type = this.typeOfId(id);
    const row = type && this.table(type).get(id);
    return this.isAdmin() || row?.get('ownerid') === this.userId;
  }

  /** @param {string} id */
  maySeeId(id) {
    const type = this.typeOfId(id);
    const row = type && this.table(type).get(id);
    return (
      row !== undefined && type !== undefined && this.mayReadObject(type) && this.maySee(type, row)
    );
  }
}

/** What one transaction has changed since it began, over what another has committed meanwhile. @param {Tables} base @param {Tables} begun @param {Tables} now */
function over(base, begun, now) {
  const merged = copied(base);
  for (const [name, rows] of now)
    for (const [id, row] of rows)
      if (begun.get(name)?.get(id) !== row)
        merged.set(name, (merged.get(name) ?? new Map()).set(id, row));
  for (const [name, rows] of begun)
    for (const id of rows.keys()) if (!now.get(name)?.has(id)) merged.get(name)?.delete(id);
  return merged;
}

/** @param {Tables} tables @returns {Tables} */
function copied(tables) {
  return new Map([...tables].map(([name, rows]) => [name, new Map(rows)]));
}

/** What a column keeps of a value. @param {Field} field @param {unknown} value */
function stored(field, value) {
  if (value === null || value === undefined || value === '')
    return field.type === 'BOOLEAN' ? false : null;
  if (field.type === 'DATETIME' && value instanceof Datetime)
    return new Datetime(Math.floor(value.ms / 1000) * 1000);
  if (['DOUBLE', 'CURRENCY', 'PERCENT'].includes(field.type) && isNumber(value))
    return toDecimal(value).setScale(field.scale);
  if (field.type === 'DATE' && !(value instanceof ApexDate))
    throw new Error(`${field.name} is no date.`);
  if (value instanceof Decimal) throw new Error(`${field.name} is no number.`);
  return value;
}
