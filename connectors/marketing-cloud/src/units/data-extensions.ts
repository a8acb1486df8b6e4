import { MarketingCloudError, invalid, invalidAnswer } from '../errors.ts';
import { type Xml, childOf, textOf } from '../soap/parse.ts';
import type { Soap } from '../soap/soap.ts';
import { type Element, element, elements } from '../soap/write.ts';
import type {
  BusinessUnit,
  CallOptions,
  DataExtension,
  Field,
  FieldType,
  Folder,
  NewDataExtension,
} from '../types.ts';
import { named } from './checks.ts';
import { startingWith } from './listing.ts';

type DataExtensions = Pick<
  BusinessUnit,
  | 'createDataExtension'
  | 'findDataExtension'
  | 'deleteDataExtension'
  | 'dataExtensions'
  | 'folders'
  | 'fields'
>;

const TYPE = 'DataExtension';
const PROPERTIES = ['ObjectID', 'CustomerKey', 'Name', 'CreatedDate', 'CategoryID'];
const FOLDER_PROPERTIES = ['ID', 'Name', 'ParentFolder.ID'];
const FIELD_PROPERTIES = [
  'Name',
  'FieldType',
  'MaxLength',
  'Scale',
  'IsPrimaryKey',
  'IsRequired',
  'Ordinal',
];

export function createDataExtensions(soap: Soap): DataExtensions {
  async function create(
    dataExtension: NewDataExtension,
    options: CallOptions,
  ): Promise<{ objectId: string }> {
    const result = await soap.create(TYPE, objectOf(dataExtension), options);
    const objectId = textOf(result, 'NewObjectID');
    if (objectId === null) throw invalidAnswer('A data extension was created without an ObjectID.');
    return { objectId };
  }

  return {
    async createDataExtension(dataExtension, options = {}) {
      const { keepDays, ...kept } = dataExtension;
      if (dataExtension.fields.length === 0) {
        throw invalid('invalid_fields', 'A data extension needs a field at least.');
      }
      try {
        const made = await create(dataExtension, options);
        return { ...made, retention: keepDays !== undefined };
      } catch (error) {
        if (keepDays === undefined || !isRetentionRefused(error)) throw error;
        const made = await create(kept, options);
        return { ...made, retention: false };
      }
    },

    async findDataExtension(customerKey, options = {}) {
      const filter = {
        property: 'CustomerKey',
        operator: 'equals',
        values: [named('The customer key of a data extension', customerKey)],
      } as const;
      const found = await soap.retrieve({ type: TYPE, properties: PROPERTIES, filter }, options);
      const [first] = found.flatMap(dataExtensionOf);
      return first ?? null;
    },

    async deleteDataExtension(customerKey, options = {}) {
      const key = named('The customer key of a data extension', customerKey);
      return wasThere(soap.delete(TYPE, elements({ CustomerKey: key }), options));
    },

    async dataExtensions(prefix, options = {}) {
      const found = await soap.retrieve(
        { type: TYPE, properties: PROPERTIES, ...startingWith(prefix) },
        options,
      );
      return found.flatMap(dataExtensionOf).filter((each) => each.customerKey.startsWith(prefix));
    },

    async folders(options = {}) {
      // dataextension, shared_dataextension, salesforcedataextension, synchronizeddataextension, …
      const filter = {
        property: 'ContentType',
        operator: 'like',
        values: ['%dataextension%'],
      } as const;
      const found = await soap.retrieve(
        { type: 'DataFolder', properties: FOLDER_PROPERTIES, filter },
        options,
      );
      return found.flatMap(folderOf);
    },

    async fields(customerKey, options = {}) {
      const filter = {
        property: 'DataExtension.CustomerKey',
        operator: 'equals',
        values: [named('The customer key of a data extension', customerKey)],
      } as const;
      const found = await soap.retrieve(
        { type: 'DataExtensionField', properties: FIELD_PROPERTIES, filter },
        options,
      );
      return found
        .map((each) => ({ ordinal: Number(textOf(each, 'Ordinal') ?? 0), field: fieldOf(each) }))
        .toSorted((a, b) => a.ordinal - b.ordinal)
        .map(({ field }) => field);
    },
  };
}

/** False where Marketing Cloud says that there was nothing to delete. */
export async function wasThere(deletion: Promise<Xml>): Promise<boolean> {
  try {
    await deletion;
    return true;
  } catch (error) {
    if (error instanceof MarketingCloudError && error.kind === 'notFound') return false;
    throw error;
  }
}

/** "Manage Data Extension Retention" is a permission of its own. */
function isRetentionRefused(error: unknown): boolean {
  if (!(error instanceof MarketingCloudError) || error.outcome !== 'refused') return false;
  return error.kind === 'permission' || /retention/i.test(error.message);
}

/**
 * With RowBasedRetention and DeleteAtEndOfRetentionPeriod both false Marketing Cloud removes rows and data extension at the end,
 * as was seen in tenants; with the latter true it keeps the empty data extension.
 */
function objectOf({ name, customerKey, fields, folderId, keepDays }: NewDataExtension): Element[] {
  const isKept = keepDays !== undefined;
  return [
    ...elements({ CustomerKey: customerKey, Name: name, IsSendable: false }),
    ...elements({
      DataRetentionPeriodLength: keepDays,
      RowBasedRetention: isKept ? false : null,
      DeleteAtEndOfRetentionPeriod: isKept ? false : null,
    }),
    element('Fields', fields.map(fieldElement)),
    ...elements({ DataRetentionPeriod: isKept ? 'Days' : null, CategoryID: folderId }),
  ];
}

function fieldElement(field: Field): Element {
  return element(
    'Field',
    elements({
      Name: field.name,
      FieldType: field.type,
      MaxLength: field.maxLength,
      Scale: field.scale,
      IsPrimaryKey: field.isPrimaryKey ?? false,
      IsRequired: field.isRequired ?? false,
    }),
  );
}

function dataExtensionOf(xml: Xml): DataExtension[] {
  const customerKey = textOf(xml, 'CustomerKey');
  if (customerKey === null) return [];
  return [
    {
      objectId: textOf(xml, 'ObjectID') ?? '',
      customerKey,
      name: textOf(xml, 'Name') ?? '',
      createdAt: textOf(xml, 'CreatedDate'),
      folderId: textOf(xml, 'CategoryID'),
    },
  ];
}

function folderOf(xml: Xml): Folder[] {
  const id = textOf(xml, 'ID');
  if (id === null) return [];
  const parentId = textOf(childOf(xml, 'ParentFolder'), 'ID');
  return [{ id, name: textOf(xml, 'Name') ?? '', parentId: parentId === '0' ? null : parentId }];
}

const FIELD_TYPES: readonly FieldType[] = [
  'Text',
  'Number',
  'Date',
  'Boolean',
  'EmailAddress',
  'Phone',
  'Decimal',
  'Locale',
];

function fieldOf(xml: Xml): Field {
  const type = textOf(xml, 'FieldType');
  const length = Number(textOf(xml, 'MaxLength') ?? 0);
  const scale = textOf(xml, 'Scale');
  return {
    name: textOf(xml, 'Name') ?? '',
    // A type that came after this program is shown as what every type can be.
    type: FIELD_TYPES.find((each) => each === type) ?? 'Text',
    maxLength: length > 0 ? length : null,
    ...(type === 'Decimal' && scale !== null && { scale: Number(scale) }),
    isPrimaryKey: textOf(xml, 'IsPrimaryKey') === 'true',
    isRequired: textOf(xml, 'IsRequired') === 'true',
  };
}
