import { type Field, type SObject, field, fieldMap } from './sobject.ts';

const readOnly = { createable: false, updateable: false } as const;

function lookup(name: string, to: string, extras: Partial<Field> = {}): Field {
  return field(name, 'reference', {
    referenceTo: [to],
    relationshipName: name.replace(/Id$/, ''),
    ...extras,
  });
}

/** The fields that every record has and nobody writes. */
export function systemFields(): readonly Field[] {
  return [
    field('Id', 'id', readOnly),
    field('IsDeleted', 'boolean', readOnly),
    field('CreatedDate', 'datetime', readOnly),
    lookup('CreatedById', 'User', readOnly),
    field('LastModifiedDate', 'datetime', readOnly),
    lookup('LastModifiedById', 'User', readOnly),
    field('SystemModstamp', 'datetime', readOnly),
  ];
}

export function ownerField(): Field {
  return lookup('OwnerId', 'User');
}

interface Standard {
  readonly name: string;
  readonly plural?: string;
  readonly prefix: string;
  readonly fields: readonly Field[];
  readonly nameField?: string | null;
  readonly rights?: Partial<Pick<SObject, 'createable' | 'updateable' | 'deletable'>>;
}

function standard({ name, plural, prefix, fields, nameField = 'Name', rights }: Standard): SObject {
  const label = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return {
    name,
    label,
    labelPlural: plural ?? `${label}s`,
    custom: false,
    keyPrefix: prefix,
    isEvent: false,
    createable: true,
    updateable: true,
    deletable: true,
    ...rights,
    fields: fieldMap([...systemFields(), ...fields]),
    nameField,
  };
}

const name = field('Name', 'string', { required: true });
const text = (fieldName: string, length = 255): Field => field(fieldName, 'string', { length });
const money = (fieldName: string): Field => field(fieldName, 'double', { precision: 18, scale: 2 });

const address = (kind: string): readonly Field[] => [
  field(`${kind}Street`, 'textarea'),
  text(`${kind}City`, 40),
  text(`${kind}State`, 80),
  text(`${kind}PostalCode`, 20),
  text(`${kind}Country`, 80),
];

const person = [text('FirstName', 40), field('LastName', 'string', { length: 80, required: true })];
/** Made of first and last name by the insert. */
const fullName = field('Name', 'string', readOnly);

export const STANDARD_OBJECTS: readonly SObject[] = [
  standard({
    name: 'Organization',
    prefix: '00D',
    rights: { createable: false, updateable: false, deletable: false },
    fields: [name, text('InstanceName'), text('OrganizationType'), field('IsSandbox', 'boolean')],
  }),
  standard({
    name: 'User',
    prefix: '005',
    rights: { createable: false, deletable: false },
    fields: [
      field('Username', 'string', { length: 80, required: true }),
      ...person,
      fullName,
      text('Alias', 8),
      field('Email', 'email'),
      field('IsActive', 'boolean', { initial: true }),
    ],
  }),
  standard({
    name: 'Account',
    prefix: '001',
    fields: [
      name,
      ownerField(),
      lookup('ParentId', 'Account', { childRelationshipName: 'ChildAccounts' }),
      field('Type', 'picklist'),
      field('Industry', 'picklist'),
      text('AccountNumber', 40),
      field('Phone', 'phone'),
      field('Website', 'url'),
      money('AnnualRevenue'),
      field('NumberOfEmployees', 'int'),
      ...address('Billing'),
      ...address('Shipping'),
      field('Description', 'longtext'),
    ],
  }),
  standard({
    name: 'Contact',
    prefix: '003',
    fields: [
      fullName,
      field('Salutation', 'picklist'),
      ...person,
      ownerField(),
      lookup('AccountId', 'Account', { childRelationshipName: 'Contacts' }),
      field('Email', 'email'),
      field('Phone', 'phone'),
      text('Title', 128),
      field('Birthdate', 'date'),
      ...address('Mailing'),
    ],
  }),
  standard({
    name: 'Lead',
    prefix: '00Q',
    fields: [
      fullName,
      ...person,
      ownerField(),
      field('Company', 'string', { required: true }),
      field('Email', 'email'),
      field('Status', 'picklist', { initial: 'Open - Not Contacted' }),
    ],
  }),
  standard({
    name: 'Opportunity',
    plural: 'Opportunities',
    prefix: '006',
    fields: [
      field('Name', 'string', { length: 120, required: true }),
      ownerField(),
      lookup('AccountId', 'Account', { childRelationshipName: 'Opportunities' }),
      field('StageName', 'picklist', { required: true }),
      field('CloseDate', 'date', { required: true }),
      money('Amount'),
      field('Probability', 'double', { precision: 3 }),
      field('Description', 'longtext'),
    ],
  }),
  standard({
    name: 'OpportunityLineItem',
    prefix: '00k',
    fields: [
      text('Name'),
      lookup('OpportunityId', 'Opportunity', {
        required: true,
        childRelationshipName: 'OpportunityLineItems',
        onParentDeleted: 'Cascade',
      }),
      field('Quantity', 'double', { precision: 12, scale: 2, required: true }),
      money('UnitPrice'),
      money('TotalPrice'),
      text('Description'),
    ],
  }),
  standard({
    name: 'Case',
    prefix: '500',
    nameField: 'CaseNumber',
    fields: [
      field('CaseNumber', 'string', { length: 30, autoNumber: '{00000000}', ...readOnly }),
      ownerField(),
      lookup('AccountId', 'Account', { childRelationshipName: 'Cases' }),
      lookup('ContactId', 'Contact', { childRelationshipName: 'Cases' }),
      text('Subject'),
      field('Status', 'picklist', { initial: 'New' }),
      field('Priority', 'picklist', { initial: 'Medium' }),
      field('Origin', 'picklist'),
      field('Description', 'longtext'),
    ],
  }),
  standard({
    name: 'ContentDocument',
    prefix: '069',
    nameField: 'Title',
    rights: { createable: false },
    fields: [
      field('Title', 'string'),
      ownerField(),
      lookup('LatestPublishedVersionId', 'ContentVersion', readOnly),
      field('FileExtension', 'string', { length: 40, ...readOnly }),
      field('FileType', 'string', { length: 20, ...readOnly }),
      field('ContentSize', 'int', readOnly),
      field('PublishStatus', 'picklist', { initial: 'P', ...readOnly }),
    ],
  }),
  standard({
    name: 'ContentVersion',
    prefix: '068',
    nameField: 'Title',
    rights: { deletable: false },
    fields: [
      lookup('ContentDocumentId', 'ContentDocument', {
        updateable: false,
        childRelationshipName: 'ContentVersions',
        onParentDeleted: 'Cascade',
      }),
      field('Title', 'string'),
      field('Description', 'longtext', { length: 1000 }),
      field('PathOnClient', 'string', { length: 500, updateable: false }),
      field('VersionData', 'base64', { updateable: false }),
      field('VersionNumber', 'string', { length: 20, ...readOnly }),
      field('IsLatest', 'boolean', readOnly),
      field('ContentSize', 'int', readOnly),
      field('Checksum', 'string', { length: 50, ...readOnly }),
      field('FileExtension', 'string', { length: 40, ...readOnly }),
      field('FileType', 'string', { length: 20, ...readOnly }),
      field('ReasonForChange', 'string', { length: 1000 }),
      field('ContentLocation', 'picklist', { initial: 'S', updateable: false }),
      field('Origin', 'picklist', { initial: 'C', updateable: false }),
      field('PublishStatus', 'picklist', { initial: 'P', ...readOnly }),
      lookup('FirstPublishLocationId', '*', { updateable: false }),
      ownerField(),
    ],
  }),
  standard({
    name: 'ContentDocumentLink',
    prefix: '06A',
    nameField: null,
    fields: [
      lookup('ContentDocumentId', 'ContentDocument', {
        required: true,
        updateable: false,
        childRelationshipName: 'ContentDocumentLinks',
        onParentDeleted: 'Cascade',
      }),
      lookup('LinkedEntityId', '*', {
        required: true,
        updateable: false,
        childRelationshipName: 'ContentDocumentLinks',
        onParentDeleted: 'Cascade',
      }),
      field('ShareType', 'picklist', { values: ['V', 'C', 'I'], restricted: true, initial: 'V' }),
      field('Visibility', 'picklist', {
        values: ['AllUsers', 'InternalUsers', 'SharedUsers'],
        restricted: true,
        initial: 'AllUsers',
      }),
    ],
  }),
  standard({
    name: 'UserRecordAccess',
    prefix: '0Rx',
    nameField: null,
    rights: { createable: false, updateable: false, deletable: false },
    fields: [
      field('RecordId', 'id', readOnly),
      field('UserId', 'id', readOnly),
      field('HasReadAccess', 'boolean', readOnly),
      field('HasEditAccess', 'boolean', readOnly),
    ],
  }),
];
