/** What is kept of a job, by our word for it, and the field of Generated_Document__c that keeps it. */
const FIELDS = {
  status: 'Status__c',
  priority: 'Priority__c',
  attempts: 'Attempts__c',
  maxAttempts: 'MaxAttempts__c',
  lockedUntil: 'LockedUntil__c',
  leaseToken: 'LeaseToken__c',
  presentedToken: 'PresentedToken__c',
  settledToken: 'SettledToken__c',
  epoch: 'Epoch__c',
  claimId: 'ClaimId__c',
  worker: 'Worker__c',
  due: 'ScheduledRetryTime__c',
  cancelRequested: 'CancelRequested__c',
  key: 'RequestHash__c',
  correlationId: 'CorrelationId__c',
  request: 'RequestJSON__c',
  result: 'Result__c',
  error: 'Error__c',
  errorCode: 'ErrorCode__c',
  outputFile: 'OutputFileId__c',
  docxFile: 'MergedDocxFileId__c',
  kind: 'Kind__c',
  submitter: 'Submitter__c',
  subject: 'Subject__c',
  traceparent: 'Traceparent__c',
  startedAt: 'StartedAt__c',
  finishedAt: 'FinishedAt__c',
} as const;

export type Field = keyof typeof FIELDS;

export interface Names {
  readonly document: string;
  readonly lease: string;
  readonly leaseKey: string;
  /** Under /services/apexrest/. */
  readonly apex: string;
  readonly field: Readonly<Record<Field, string>>;
}

export interface NameOptions {
  /** Of the package, where it was installed as a managed one. */
  readonly namespace?: string | undefined;
  /** For an org that calls its object or fields otherwise. */
  readonly document?: string | undefined;
  readonly fields?: Readonly<Partial<Record<Field, string>>> | undefined;
}

export const FIELD_NAMES: readonly Field[] = Object.keys(FIELDS) as Field[];

export function namesOf({ namespace, document, fields = {} }: NameOptions = {}): Names {
  const prefix = namespace === undefined || namespace === '' ? '' : `${namespace}__`;
  const field = Object.fromEntries(
    FIELD_NAMES.map((name) => [name, fields[name] ?? `${prefix}${FIELDS[name]}`]),
  );
  return {
    document: document ?? `${prefix}Generated_Document__c`,
    lease: `${prefix}Docgen_Lease__c`,
    leaseKey: `${prefix}Key__c`,
    apex: `${namespace === undefined || namespace === '' ? '' : `${namespace}/`}millrace/v1`,
    field: field as Record<Field, string>,
  };
}

/** Our words become field names; what is undefined is left out, null empties. */
export function record(
  names: Names,
  values: Partial<Record<Field, unknown>>,
): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const name of Object.keys(values) as Field[])
    if (values[name] !== undefined) written[names.field[name]] = values[name];
  return written;
}
