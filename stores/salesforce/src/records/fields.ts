/**
 * The parts of a job that are kept, by our word for them: the field of Generated_Document__c, what it holds, and whether the store reads
 * it with every record, only with a whole one (long texts), or never. `Row`, the queries and SALESFORCE_FIELDS are made from
 * this table; the package's metadata and the documentation are held against it by docs/tables.test.ts.
 */
export const FIELDS = {
  status: { name: 'Status__c', holds: 'text', read: 'always' },
  priority: { name: 'Priority__c', holds: 'number', read: 'always' },
  attempts: { name: 'Attempts__c', holds: 'number', read: 'always' },
  maxAttempts: { name: 'MaxAttempts__c', holds: 'number', read: 'always' },
  lockedUntil: { name: 'LockedUntil__c', holds: 'time', read: 'always' },
  leaseToken: { name: 'LeaseToken__c', holds: 'text', read: 'always' },
  live: { name: 'Live__c', holds: 'text', read: 'never' },
  presentedToken: { name: 'PresentedToken__c', holds: 'text', read: 'never' },
  settledToken: { name: 'SettledToken__c', holds: 'text', read: 'always' },
  epoch: { name: 'Epoch__c', holds: 'number', read: 'always' },
  /** The claim that gave the lease; empty from the moment on in which its worker begins. */
  claimId: { name: 'ClaimId__c', holds: 'text', read: 'always' },
  suspect: { name: 'Suspect__c', holds: 'flag', read: 'always' },
  worker: { name: 'Worker__c', holds: 'text', read: 'always' },
  due: { name: 'ScheduledRetryTime__c', holds: 'time', read: 'always' },
  cancelRequested: { name: 'CancelRequested__c', holds: 'flag', read: 'always' },
  key: { name: 'RequestHash__c', holds: 'text', read: 'always' },
  correlationId: { name: 'CorrelationId__c', holds: 'text', read: 'always' },
  request: { name: 'RequestJSON__c', holds: 'text', read: 'whole' },
  result: { name: 'Result__c', holds: 'text', read: 'whole' },
  error: { name: 'Error__c', holds: 'text', read: 'always' },
  errorCode: { name: 'ErrorCode__c', holds: 'text', read: 'always' },
  outputFile: { name: 'OutputFileId__c', holds: 'text', read: 'never' },
  docxFile: { name: 'MergedDocxFileId__c', holds: 'text', read: 'never' },
  kind: { name: 'Kind__c', holds: 'text', read: 'always' },
  submitter: { name: 'Submitter__c', holds: 'text', read: 'always' },
  subject: { name: 'Subject__c', holds: 'text', read: 'always' },
  traceparent: { name: 'Traceparent__c', holds: 'text', read: 'always' },
  startedAt: { name: 'StartedAt__c', holds: 'time', read: 'always' },
  finishedAt: { name: 'FinishedAt__c', holds: 'time', read: 'always' },
} as const satisfies Record<
  string,
  { name: string; holds: keyof typeof READERS; read: 'always' | 'whole' | 'never' }
>;

type Fields = typeof FIELDS;
export type Field = keyof Fields;
type ReadField = { [F in Field]: Fields[F]['read'] extends 'never' ? never : F }[Field];
/** The fields that were read of a record. A field that was not asked for is as empty as one that is. */
export type Values = {
  readonly [F in ReadField]: ReturnType<(typeof READERS)[Fields[F]['holds']]>;
};

export const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

export function fieldsToRead(what: 'summary' | 'whole'): Field[] {
  return FIELD_NAMES.filter((field) => {
    const { read } = FIELDS[field];
    return read === 'always' || (read === 'whole' && what === 'whole');
  });
}

export function valuesOf(
  names: Readonly<Record<Field, string>>,
  raw: Readonly<Record<string, unknown>>,
): Values {
  const values = fieldsToRead('whole').map((field) => [
    field,
    READERS[FIELDS[field].holds](raw[names[field]]),
  ]);
  return Object.fromEntries(values) as Values;
}

const READERS = {
  text: textOf,
  number: (value: unknown): number | null => (typeof value === 'number' ? value : null),
  time: timeOf,
  flag: (value: unknown): boolean => value === true,
};

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Salesforce writes 2026-03-01T12:00:00.000+0000, which Date.parse takes. */
export function timeOf(value: unknown): number | null {
  return typeof value === 'string' ? Date.parse(value) : null;
}
