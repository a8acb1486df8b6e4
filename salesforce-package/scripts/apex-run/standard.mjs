// The standard objects of the org, as much of them as the tests touch.

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
export const SYSTEM = 'Id-:ID CreatedDate-:DATETIME CreatedById->User.CreatedBy';

/** @returns {Map<string, ObjectType>} by name in lower case */
export function standardObjects() {
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
  return schema;
}

/** @param {Map<string, ObjectType>} schema @param {string} name @param {string} prefix @param {string[]} fields @returns {ObjectType} */
export function objectOf(schema, name, prefix, fields) {
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
