import {
  type DataExtension,
  dataExtensionByKey,
  dataExtensionByName,
  makeDataExtension,
} from '../data/account.ts';
import { FIELD_TYPES, type FieldSpec, fieldNamed, settleField } from '../data/fields.ts';
import { type Change, type Changed, SoapRefusal, type View } from './view.ts';
import { type Node, child, children, element, textAt } from './xml.ts';

const RETENTION = [
  'DataRetentionPeriodLength',
  'DataRetentionPeriod',
  'DataRetentionPeriodUnitOfMeasure',
  'RowBasedRetention',
  'ResetRetentionPeriodOnImport',
  'DeleteAtEndOfRetentionPeriod',
];

/** "310000-310099 DataExtension Object", SOAP error codes. */
const NO_KEY = 310_001;
const NOT_FOUND = 310_002;
const EXISTS = 310_003;
const NOT_VALID = 310_007;

const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = {
  days: DAY,
  weeks: 7 * DAY,
  months: 30 * DAY,
  years: 365 * DAY,
};

export const createDataExtension: Change = (view, object) => {
  const { cloud, unit } = view;
  const now = cloud.clock.now();
  const name = textAt(object, 'Name') ?? '';
  const customerKey = textAt(object, 'CustomerKey') ?? '';
  if (name === '')
    throw new SoapRefusal('Name is a required field.', customerKey === '' ? NO_KEY : NOT_VALID);
  checkName(name);
  if (
    dataExtensionByKey(unit, customerKey, now) !== null ||
    dataExtensionByName(unit, name, now) !== null
  ) {
    throw new SoapRefusal(
      'Updating an existing Data Extension definition is not allowed when doing an add-only operation. ',
      EXISTS,
    );
  }
  const retention = retentionOf(view, object);
  const made = makeDataExtension(cloud.clock, {
    name,
    ...(customerKey !== '' && { customerKey }),
    description: textAt(object, 'Description') ?? '',
    ...categoryOf(object),
    fields: fieldsOf(object),
    retention,
    retainUntil: retainUntil(retention, now),
  });
  unit.dataExtensions.set(made.objectId, made);
  return {
    message: 'Data Extension created.',
    newId: '0',
    objectId: made.objectId,
    object: shown(made),
  };
};

/**
 * "Create a Data Extension", Salesforce Help, lists `&` too; 68 of 4,323 data extensions that mcdev retrieved from four tenants have
 * one in their names.
 */
function checkName(name: string): void {
  if (name.length > 128 || name.startsWith('_') || /[!@#$%^*()={}[\]\\.<>/:?|,]/.test(name)) {
    throw new SoapRefusal(`The name '${name}' is not valid for a data extension.`, NOT_VALID);
  }
}

function categoryOf(object: Node): { categoryId?: string } {
  const categoryId = textAt(object, 'CategoryID') ?? '';
  return categoryId === '' || categoryId === '0' ? {} : { categoryId };
}

function fieldsOf(object: Node): FieldSpec[] {
  const specs = children(child(object, 'Fields'), 'Field').map(fieldOf);
  if (specs.length === 0)
    throw new SoapRefusal('A data extension needs at least one field.', NOT_VALID);
  const names = specs.map(({ name }) => name.toLowerCase());
  if (new Set(names).size < names.length) {
    throw new SoapRefusal('Two fields of the data extension have the same name.', NOT_VALID);
  }
  return specs;
}

function fieldOf(node: Node): FieldSpec {
  const name = textAt(node, 'Name') ?? '';
  const asked = textAt(node, 'FieldType') ?? 'Text';
  const type = FIELD_TYPES.find((each) => each.toLowerCase() === asked.toLowerCase());
  if (type === undefined) throw new SoapRefusal(`The field type ${asked} is not valid.`, NOT_VALID);
  // The same data extensions have fields with `:`, `’` and letters with accents.
  if (name.trim() === '' || name.length > 128 || name.startsWith('_')) {
    throw new SoapRefusal(`The field name '${name}' is not valid.`, NOT_VALID);
  }
  const length = numberAt(node, 'MaxLength');
  if (type === 'Text' && length !== null && length > 4000) {
    throw new SoapRefusal(`The length of the field '${name}' must be 4000 or less.`, NOT_VALID);
  }
  const scale = numberAt(node, 'Scale');
  return {
    name,
    type,
    maxLength: length === 0 ? null : length,
    ...(scale !== null && { scale }),
    isPrimaryKey: isTrue(node, 'IsPrimaryKey'),
    isRequired: isTrue(node, 'IsRequired') || isTrue(node, 'IsPrimaryKey'),
    defaultValue: textAt(node, 'DefaultValue') ?? '',
  };
}

function numberAt(node: Node, name: string): number | null {
  const text = textAt(node, name) ?? '';
  if (text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SoapRefusal(`${name} must be a whole number.`, NOT_VALID);
}

function isTrue(node: Node, name: string): boolean {
  return textAt(node, name)?.toLowerCase() === 'true';
}

function retentionOf({ strikes, operation, unit }: View, object: Node): Record<string, string> {
  const given = RETENTION.map((name) => [name, textAt(object, name) ?? ''] as const);
  const retention = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const length = retention['DataRetentionPeriodLength'] ?? '0';
  if (length === '0') return {};
  if (strikes.strikes('retention-refused', { operation, mid: unit.mid }) !== null) {
    throw new SoapRefusal(
      'The account does not have permission to set a data retention policy on a data extension.',
      NOT_VALID,
    );
  }
  return retention;
}

/**
 * RowBasedRetention and DeleteAtEndOfRetentionPeriod both false: rows and data extension are removed at the end
 * ("DataExtension", SOAP objects). Other policies are kept and shown, and remove nothing here.
 */
function retainUntil(retention: Readonly<Record<string, string>>, now: number): number | null {
  const length = Number(retention['DataRetentionPeriodLength'] ?? 0);
  const unit = UNITS[(retention['DataRetentionPeriod'] ?? 'days').toLowerCase()] ?? DAY;
  const removesAll =
    retention['RowBasedRetention'] !== 'true' &&
    retention['DeleteAtEndOfRetentionPeriod'] !== 'true';
  return length > 0 && removesAll ? now + length * unit : null;
}

/** By ObjectID or CustomerKey. */
export function findDataExtension({ cloud, unit }: View, object: Node): DataExtension {
  const objectId = textAt(object, 'ObjectID') ?? '';
  const key = textAt(object, 'CustomerKey') ?? '';
  const found =
    unit.dataExtensions.get(objectId) ?? dataExtensionByKey(unit, key, cloud.clock.now());
  if (found === null) throw new SoapRefusal('Data extension does not exist.', NOT_FOUND);
  return found;
}

export const deleteDataExtension: Change = (view, object) => {
  const found = findDataExtension(view, object);
  view.unit.dataExtensions.delete(found.objectId);
  return {
    message: 'Data Extension deleted. / Data Extension Fields deleted',
    object: shown(found),
  };
};

/** Changes the description, and adds the fields that are not there yet. */
export const updateDataExtension: Change = (view, object) => {
  const found = findDataExtension(view, object);
  const specs = children(child(object, 'Fields'), 'Field').map(fieldOf);
  const added = specs.filter(({ name }) => fieldNamed(found.fields, name) === undefined);
  const changed = {
    ...found,
    description: textAt(object, 'Description') ?? found.description,
    modifiedAt: view.cloud.clock.now(),
    fields: [
      ...found.fields,
      ...added.map((spec, place) => settleField(spec, found.fields.length + place)),
    ],
  };
  view.unit.dataExtensions.set(found.objectId, changed);
  return { message: 'Data Extension updated.', object: shown(changed) };
};

/** `[key].[name]` or a data extension and a name: DataExtensionField can only be deleted. */
export const deleteField: Change = (view, object) => {
  const objectId = textAt(object, 'ObjectID') ?? '';
  for (const owner of view.unit.dataExtensions.values()) {
    const field = owner.fields.find((each) => each.objectId === objectId);
    if (field === undefined) continue;
    view.unit.dataExtensions.set(owner.objectId, {
      ...owner,
      fields: owner.fields.filter((each) => each !== field),
    });
    return { message: 'Data Extension Field deleted.', object: [element('ObjectID', objectId)] };
  }
  throw new SoapRefusal('Data extension field does not exist.', NOT_VALID);
};

function shown({ objectId, customerKey, name }: DataExtension): Changed['object'] {
  return [
    element('ObjectID', objectId),
    element('CustomerKey', customerKey),
    element('Name', name),
  ];
}
