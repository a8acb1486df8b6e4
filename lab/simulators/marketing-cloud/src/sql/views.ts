import { type Columns, EMPTY, JOURNEYS } from './more-views.ts';

/** The system data views ("Data Views", Salesforce Help), as far as they are here, with their columns in DuckDB's types. */

const ACCOUNT = { AccountID: 'INTEGER', OYBAccountID: 'INTEGER' };
const EVENT = {
  ...ACCOUNT,
  JobID: 'INTEGER',
  ListID: 'INTEGER',
  BatchID: 'INTEGER',
  SubscriberID: 'INTEGER',
  SubscriberKey: 'VARCHAR',
  EventDate: 'TIMESTAMP',
  Domain: 'VARCHAR',
};
const TRIGGERED = {
  TriggererSendDefinitionObjectID: 'VARCHAR',
  TriggeredSendCustomerKey: 'VARCHAR',
};

const WITH_ROWS: Readonly<Record<string, Columns>> = {
  _Subscribers: {
    SubscriberID: 'INTEGER',
    DateUndeliverable: 'TIMESTAMP',
    DateJoined: 'TIMESTAMP',
    DateUnsubscribed: 'TIMESTAMP',
    Domain: 'VARCHAR',
    EmailAddress: 'VARCHAR',
    BounceCount: 'INTEGER',
    SubscriberKey: 'VARCHAR',
    SubscriberType: 'VARCHAR',
    Status: 'VARCHAR',
    Locale: 'VARCHAR',
  },
  _Job: {
    JobID: 'INTEGER',
    EmailID: 'INTEGER',
    AccountID: 'INTEGER',
    AccountUserID: 'INTEGER',
    FromName: 'VARCHAR',
    FromEmail: 'VARCHAR',
    SchedTime: 'TIMESTAMP',
    PickupTime: 'TIMESTAMP',
    DeliveredTime: 'TIMESTAMP',
    EventID: 'VARCHAR',
    IsMultipart: 'BOOLEAN',
    JobType: 'VARCHAR',
    JobStatus: 'VARCHAR',
    ModifiedBy: 'INTEGER',
    ModifiedDate: 'TIMESTAMP',
    EmailName: 'VARCHAR',
    EmailSubject: 'VARCHAR',
    IsWrapped: 'BOOLEAN',
    TestEmailAddr: 'VARCHAR',
    Category: 'VARCHAR',
    BccEmail: 'VARCHAR',
    OriginalSchedTime: 'TIMESTAMP',
    CreatedDate: 'TIMESTAMP',
    CharacterSet: 'VARCHAR',
    IPAddress: 'VARCHAR',
    SalesForceTotalSubscriberCount: 'INTEGER',
    SalesForceErrorSubscriberCount: 'INTEGER',
    SendType: 'VARCHAR',
    DynamicEmailSubject: 'VARCHAR',
    SuppressTracking: 'BOOLEAN',
    SendClassificationType: 'VARCHAR',
    SendClassification: 'VARCHAR',
    ResolveLinksWithCurrentData: 'BOOLEAN',
    EmailSendDefinition: 'VARCHAR',
    DeduplicateByEmail: 'BOOLEAN',
    ...TRIGGERED,
  },
  _Sent: { ...EVENT, ...TRIGGERED },
  _Open: { ...EVENT, IsUnique: 'BOOLEAN', ...TRIGGERED },
  _Click: {
    ...EVENT,
    URL: 'VARCHAR',
    LinkName: 'VARCHAR',
    LinkContent: 'VARCHAR',
    IsUnique: 'BOOLEAN',
    ...TRIGGERED,
  },
  _Bounce: {
    ...EVENT,
    IsUnique: 'BOOLEAN',
    BounceCategoryID: 'INTEGER',
    BounceCategory: 'VARCHAR',
    BounceSubcategoryID: 'INTEGER',
    BounceSubcategory: 'VARCHAR',
    BounceTypeID: 'INTEGER',
    BounceType: 'VARCHAR',
    SMTPBounceReason: 'VARCHAR',
    SMTPMessage: 'VARCHAR',
    SMTPCode: 'INTEGER',
    ...TRIGGERED,
    IsFalseBounce: 'BOOLEAN',
  },
  _Unsubscribe: { ...EVENT, IsUnique: 'BOOLEAN' },
  _Complaint: { ...EVENT, IsUnique: 'BOOLEAN' },
  _ListSubscribers: {
    AddedBy: 'INTEGER',
    AddMethod: 'VARCHAR',
    CreatedDate: 'TIMESTAMP',
    DateUnsubscribed: 'TIMESTAMP',
    EmailAddress: 'VARCHAR',
    ListID: 'INTEGER',
    ListName: 'VARCHAR',
    ListType: 'VARCHAR',
    Status: 'VARCHAR',
    SubscriberID: 'INTEGER',
    SubscriberKey: 'VARCHAR',
    SubscriberType: 'VARCHAR',
  },
};

export const DATA_VIEWS: Readonly<Record<string, Columns>> = {
  ...WITH_ROWS,
  ...JOURNEYS,
  ...EMPTY,
};

/** Whatever its case. */
export function dataViewNamed(name: string): string | null {
  const wanted = name.toLowerCase();
  return Object.keys(DATA_VIEWS).find((view) => view.toLowerCase() === wanted) ?? null;
}
