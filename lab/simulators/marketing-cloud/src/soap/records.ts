import {
  type DataExtension,
  FOLDERS,
  type Folder,
  type QueryDefinition,
  type Task,
  type Unit,
  liveDataExtensions,
} from '../data/account.ts';
import { serverTime } from '../data/dates.ts';
import type { Field } from '../data/fields.ts';
import type { View } from './view.ts';

/** An object as a Retrieve sees it. A dot leads into an object inside: `DataExtension.CustomerKey`. */
export type Properties = Readonly<Record<string, string | null>>;

export type Bounds = Readonly<Record<string, 'from' | 'to' | 'any'>>;

export interface ObjectKind {
  readonly properties: readonly string[];
  /** The properties that a filter may name. */
  readonly filterable: readonly string[];
  /** The properties that a filter names for something other than their value: a time from or to which things began, or nothing. */
  readonly bounds?: Bounds;
  records(view: View): Properties[];
}

const DATA_EXTENSION = [
  'ObjectID',
  'PartnerKey',
  'CustomerKey',
  'Name',
  'Description',
  'CreatedDate',
  'ModifiedDate',
  'Client.ID',
  'CategoryID',
  'IsSendable',
  'IsTestable',
  'Status',
  'DataRetentionPeriodLength',
  'DataRetentionPeriod',
  'DataRetentionPeriodUnitOfMeasure',
  'RowBasedRetention',
  'ResetRetentionPeriodOnImport',
  'DeleteAtEndOfRetentionPeriod',
  'RetainUntil',
];

const DATA_EXTENSION_FIELD = [
  'ObjectID',
  'PartnerKey',
  'CustomerKey',
  'Name',
  'DefaultValue',
  'MaxLength',
  'IsRequired',
  'Ordinal',
  'IsPrimaryKey',
  'FieldType',
  'Scale',
  'CreatedDate',
  'ModifiedDate',
  'Client.ID',
  'DataExtension.CustomerKey',
];

const QUERY_DEFINITION = [
  'ObjectID',
  'PartnerKey',
  'CustomerKey',
  'Name',
  'Description',
  'QueryText',
  'TargetType',
  'TargetUpdateType',
  'DataExtensionTarget.CustomerKey',
  'DataExtensionTarget.Name',
  'CategoryID',
  'Status',
  'CreatedDate',
  'ModifiedDate',
  'Client.ID',
];

/** "Retrieve the Status of Programs Using AsyncActivityStatus" has the list of both; its samples ask for StartTime and EndTime too. */
const ASYNC_ACTIVITY_STATUS = [
  'ParentInteractionObjectID',
  'ParentTaskID',
  'Program',
  'ProcessID',
  'StepID',
  'StepTaskID',
  'StepName',
  'InteractionID',
  'ClientID',
  'TaskID',
  'ActionType',
  'Type',
  'AsyncAction',
  'AsyncSubAction',
  'Status',
  'ProcessedCount',
  'TotalCount',
  'DuplicateCount',
  'ErrorCount',
  'CustomerKey',
  'ErrorMsg',
  'ScheduledTime',
  'StartDate',
  'CompletedDate',
  'StatusMessage',
  'StartTime',
  'EndTime',
];

export const OBJECT_KINDS: Readonly<Record<string, ObjectKind>> = {
  DataExtension: {
    properties: DATA_EXTENSION,
    filterable: DATA_EXTENSION,
    records: ({ cloud, unit }) =>
      liveDataExtensions(unit, cloud.clock.now()).map((each) => ofDataExtension(unit, each)),
  },
  DataExtensionField: {
    properties: DATA_EXTENSION_FIELD,
    filterable: DATA_EXTENSION_FIELD,
    records: ({ cloud, unit }) =>
      liveDataExtensions(unit, cloud.clock.now()).flatMap((each) =>
        each.fields.map((field) => ofField(unit, each, field)),
      ),
  },
  QueryDefinition: {
    properties: QUERY_DEFINITION,
    filterable: QUERY_DEFINITION,
    records: ({ unit }) => [...unit.queries.values()].map((each) => ofQuery(unit, each)),
  },
  AsyncActivityStatus: {
    properties: ASYNC_ACTIVITY_STATUS,
    filterable: [
      'ParentInteractionObjectID',
      'TaskID',
      'StartTime',
      'EndTime',
      'ClientID',
      'QueryAllChildren',
    ],
    bounds: { StartTime: 'from', EndTime: 'to', QueryAllChildren: 'any' },
    records: ({ unit }) => [...unit.tasks.values()].map(ofTask),
  },
  DataFolder: {
    properties: ['ID', 'ObjectID', 'Name', 'ContentType', 'ParentFolder.ID', 'Client.ID'],
    filterable: ['ID', 'Name', 'ContentType', 'ParentFolder.ID'],
    records: ({ unit }) => [
      ...Object.entries(FOLDERS).map(([type, folder]) =>
        ofFolder(unit, type, { ...folder, parentId: '0' }),
      ),
      ...[...unit.folders.values()].map((folder) => ofFolder(unit, 'dataextension', folder)),
    ],
  },
};

function ofFolder({ mid }: Unit, contentType: string, { id, name, parentId }: Folder): Properties {
  return {
    ID: id,
    ObjectID: `${mid}-${id}`,
    Name: name,
    ContentType: contentType,
    'ParentFolder.ID': parentId,
    'Client.ID': mid,
  };
}

function ofDataExtension({ mid }: Unit, each: DataExtension): Properties {
  return {
    ObjectID: each.objectId,
    PartnerKey: null,
    CustomerKey: each.customerKey,
    Name: each.name,
    Description: each.description,
    CreatedDate: serverTime(each.createdAt),
    ModifiedDate: serverTime(each.modifiedAt),
    'Client.ID': mid,
    CategoryID: each.categoryId,
    IsSendable: 'false',
    IsTestable: 'false',
    Status: null,
    RowBasedRetention: 'false',
    ResetRetentionPeriodOnImport: 'false',
    DeleteAtEndOfRetentionPeriod: 'false',
    ...each.retention,
    RetainUntil: each.retainUntil === null ? '' : serverTime(each.retainUntil),
  };
}

function ofField({ mid }: Unit, owner: DataExtension, field: Field): Properties {
  return {
    ObjectID: field.objectId,
    PartnerKey: null,
    CustomerKey: `[${owner.customerKey}].[${field.name}]`,
    Name: field.name,
    DefaultValue: field.defaultValue,
    MaxLength: field.maxLength === null ? '0' : String(field.maxLength),
    IsRequired: String(field.isRequired),
    Ordinal: String(field.ordinal),
    IsPrimaryKey: String(field.isPrimaryKey),
    FieldType: field.type,
    Scale: String(field.scale),
    CreatedDate: serverTime(owner.createdAt),
    ModifiedDate: serverTime(owner.createdAt),
    'Client.ID': mid,
    'DataExtension.CustomerKey': owner.customerKey,
  };
}

function ofQuery({ mid }: Unit, each: QueryDefinition): Properties {
  return {
    ObjectID: each.objectId,
    PartnerKey: null,
    CustomerKey: each.customerKey,
    Name: each.name,
    Description: each.description,
    QueryText: each.queryText,
    TargetType: 'DE',
    TargetUpdateType: each.updateType,
    'DataExtensionTarget.CustomerKey': each.targetKey,
    'DataExtensionTarget.Name': each.targetKey,
    CategoryID: each.categoryId,
    Status: 'Active',
    CreatedDate: serverTime(each.createdAt),
    ModifiedDate: serverTime(each.modifiedAt),
    'Client.ID': mid,
  };
}

function ofTask(task: Task): Properties {
  return {
    ParentInteractionObjectID: task.interactionId,
    TaskID: task.id,
    ClientID: task.mid,
    Type: 'Query',
    Status: task.status,
    StatusMessage: null,
    ErrorMsg: task.errorMessage === '' ? null : task.errorMessage,
    CustomerKey: task.query.customerKey,
    StartDate: task.startedAt === null ? null : serverTime(task.startedAt),
    CompletedDate: task.completedAt === null ? null : serverTime(task.completedAt),
    // "The call returns information on calls started between the StartTime and EndTime only."
    StartTime: serverTime(task.startedAt ?? task.queuedAt),
    EndTime: serverTime(task.startedAt ?? task.queuedAt),
  };
}
