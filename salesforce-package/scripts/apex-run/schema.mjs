// The objects of the org: ours from the metadata, and as much of the standard ones as the tests touch.

import { readObjects, textOf } from '../lib/metadata.mjs';

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} type as Schema.DisplayType says it
 * @property {number} scale
 * @property {number} length 0: not limited here
 * @property {boolean} required
 * @property {boolean} writable
 * @property {boolean} unique
 * @property {boolean} caseSensitive
 * @property {string[]} targets of a lookup
 * @property {string} relationship its name, '' if none
 * @property {string[]} values of a picklist
 * @property {unknown} initial
 *
 * @typedef {object} ObjectType
 * @property {string} name
 * @property {string} prefix of its Ids
 * @property {Map<string, Field>} fields by name in lower case
 * @property {{ name: string, object: string, field: string }[]} children lists of others that look up to it
 * @property {string[][]} oneOf of each group of fields one has to be there
 * @property {Map<string, ObjectType>} schema all objects, by name in lower case
 */

// name:TYPE(scale)>targets.relationship<list at the target
// `!` is required: createable, not nillable, not defaulted on create. `-` cannot be written. Both as the Object Reference
// (developer.salesforce.com, object_reference) describes the fields; the rules that no field says by itself are in RULES.
const STANDARD = {
  Account: '001 Name! Description BillingCity BillingAddress-:ADDRESS ParentId>Account.Parent',
  Contact: '003 Name- LastName! Email Description AccountId>Account.Account<Contacts',
  Opportunity:
    '006 Name! StageName! CloseDate!:DATE Amount:CURRENCY(2) AccountId>Account.Account<Opportunities CampaignId>Campaign.Campaign Pricebook2Id>Pricebook2.Pricebook2',
  OpportunityLineItem:
    '00k Name- Quantity!:DOUBLE(2) UnitPrice:CURRENCY(2) TotalPrice:CURRENCY(2) SortOrder-:INTEGER PricebookEntryId>PricebookEntry.PricebookEntry Product2Id>Product2.Product2 OpportunityId!>Opportunity.Opportunity<OpportunityLineItems',
  Case: '500 Subject AccountId>Account.Account',
  Campaign: '701 Name!',
  Product2: '01t Name! IsActive:BOOLEAN',
  Pricebook2: '01s Name! IsActive:BOOLEAN IsStandard-:BOOLEAN',
  PricebookEntry:
    '01u Name- UnitPrice!:CURRENCY(2) IsActive:BOOLEAN Pricebook2Id!>Pricebook2.Pricebook2 Product2Id!>Product2.Product2',
  User: '005 Name- Username! Email! Alias! LastName! EmailEncodingKey! LanguageLocaleKey! LocaleSidKey! TimeZoneSidKey! ProfileId!>Profile.Profile',
  UserLicense: '100 Name-',
  Profile: '00e Name UserType UserLicenseId>UserLicense.UserLicense PermissionsViewAllData:BOOLEAN',
  PermissionSet: '0PS Name IsOwnedByProfile:BOOLEAN ProfileId>Profile.Profile',
  ObjectPermissions:
    '110 SobjectType PermissionsCreate:BOOLEAN PermissionsViewAllRecords:BOOLEAN ParentId>PermissionSet.Parent',
  PermissionSetAssignment:
    '0Pa AssigneeId!>User.Assignee PermissionSetId>PermissionSet.PermissionSet',
  ContentVersion:
    '068 Title PathOnClient! VersionData!:BASE64 ContentDocumentId>ContentDocument.ContentDocument',
  ContentDocument: '069 Title',
  ContentDocumentLink:
    '06A ContentDocumentId!>ContentDocument.ContentDocument LinkedEntityId!:STRING>Account|Contact|Opportunity|Case|Campaign|Product2.LinkedEntity<ContentDocumentLinks ShareType! Visibility',
  AsyncApexJob: '707 JobType Status',
  UserRecordAccess: '0Rx RecordId:STRING UserId:STRING HasEditAccess:BOOLEAN',
  Generated_Document__Share: '02c ParentId!:STRING UserOrGroupId!:STRING AccessLevel! RowCause',
};
/** The others belong to a record, or to nobody. */
const OWNED = [
  'Account',
  'Contact',
  'Opportunity',
  'Case',
  'Campaign',
  'ContentVersion',
  'ContentDocument',
];
/** One of these fields is enough, and one of them is needed (OpportunityLineItem, "Usage"). @type {Record<string, string[][]>} */
const RULES = {
  OpportunityLineItem: [
    ['PricebookEntryId', 'Product2Id'],
    ['UnitPrice', 'TotalPrice'],
  ],
};
const PREFIXES = {
  Generated_Document__c: 'a00',
  Docgen_Template__c: 'a01',
  Docgen_Lease__c: 'a02',
  Docgen_Wakeup__e: 'e00',
};
const TYPES = {
  Text: 'STRING',
  LongTextArea: 'TEXTAREA',
  Number: 'DOUBLE',
  Picklist: 'PICKLIST',
  Lookup: 'REFERENCE',
  Checkbox: 'BOOLEAN',
  DateTime: 'DATETIME',
};
const SYSTEM = 'Id-:ID CreatedDate-:DATETIME CreatedById->User.CreatedBy';

/** @param {string} source force-app/main/default @returns {Map<string, ObjectType>} by name in lower case */
export function loadSchema(source) {
  /** @type {Map<string, ObjectType>} */
  const schema = new Map();
  for (const [name, text] of Object.entries(STANDARD)) {
    const [prefix = '', ...fields] = text.split(' ');
    // Cases may belong to queues; people's own records may not.
    const owner = name === 'Case' ? 'OwnerId>User|Group.Owner' : 'OwnerId>User.Owner';
    const owners = OWNED.includes(name) ? [owner] : [];
    const object = objectOf(schema, name, prefix, [...fields, ...owners, ...SYSTEM.split(' ')]);
    schema.set(name.toLowerCase(), { ...object, oneOf: RULES[name] ?? [] });
  }
  for (const [name, fields] of readObjects(source)) {
    const known = schema.get(name.toLowerCase());
    const object =
      known ??
      objectOf(schema, name, PREFIXES[/** @type {keyof typeof PREFIXES} */ (name)] ?? 'a99', [
        'Name',
        'OwnerId>User|Group.Owner',
        ...SYSTEM.split(' '),
      ]);
    schema.set(name.toLowerCase(), object);
    for (const {
      name: field,
      type,
      element,
      required,
      referenceTo,
      relationshipName,
    } of fields.values()) {
      object.fields.set(field.toLowerCase(), {
        name: field,
        type: TYPES[/** @type {keyof typeof TYPES} */ (type)],
        scale: Number(textOf(element, 'scale') || 0),
        length: Number(textOf(element, 'length') || 0),
        required,
        writable: true,
        unique: textOf(element, 'unique') === 'true',
        caseSensitive: textOf(element, 'caseSensitive') === 'true',
        targets: referenceTo,
        relationship: referenceTo.length > 0 ? field.replace(/__c$/, '__r') : '',
        values: element.children
          .flatMap(({ children }) => children)
          .flatMap(({ children }) => children)
          .filter(({ name: part }) => part === 'value')
          .map((value) => textOf(value, 'fullName')),
        initial: initialOf(type, textOf(element, 'defaultValue')),
      });
      for (const target of referenceTo)
        addChild(schema, target, relationshipName && `${relationshipName}__r`, name, field);
    }
  }
  for (const object of schema.values()) linkChildren(schema, object);
  return schema;
}

/** @param {string} type @param {string} text */
function initialOf(type, text) {
  if (type === 'Checkbox') return text === 'true';
  if (type === 'Text') return /^"(.*)"$/.exec(text)?.[1] ?? null;
  return type === 'Number' && text !== '' ? Number(text) : null;
}

/** @param {Map<string, ObjectType>} schema @param {string} name @param {string} prefix @param {string[]} fields @returns {ObjectType} */
function objectOf(schema, name, prefix, fields) {
  return {
    name,
    prefix,
    fields: new Map(fields.map(fieldOf).map((field) => [field.name.toLowerCase(), field])),
    children: [],
    oneOf: [],
    schema,
  };
}

/** @param {string} text @returns {Field & { list?: string }} */
function fieldOf(text) {
  const [, name = '', mark, type, scale, targets, relationship = '', list] =
    /^(\w+?)([!-])?(?::(\w+)(?:\((\d)\))?)?(?:>([\w|]+)\.(\w+)(?:<(\w+))?)?$/.exec(text) ?? [];
  return {
    name,
    type: type ?? (targets ? 'REFERENCE' : 'STRING'),
    scale: Number(scale ?? 0),
    length: 0,
    required: mark === '!',
    writable: mark !== '-',
    unique: false,
    caseSensitive: false,
    targets: targets?.split('|') ?? [],
    relationship,
    values: [],
    initial: null,
    ...(list !== undefined && { list }),
  };
}

/** @param {Map<string, ObjectType>} schema @param {ObjectType} object */
function linkChildren(schema, object) {
  for (const field of object.fields.values()) {
    const { list } = /** @type {Field & { list?: string }} */ (field);
    if (list !== undefined)
      for (const target of field.targets) addChild(schema, target, list, object.name, field.name);
  }
}

/** @param {Map<string, ObjectType>} schema @param {string} target @param {string} name @param {string} object @param {string} field */
function addChild(schema, target, name, object, field) {
  if (name !== '') schema.get(target.toLowerCase())?.children.push({ name, object, field });
}
