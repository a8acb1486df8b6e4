export interface MarketingCloudConfig {
  /** Such as https://SUBDOMAIN.auth.marketingcloudapis.com. https, except on this machine. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** 60,000. From the start to the last byte of an answer. */
  readonly timeoutMs?: number;
  /** Requests at once over all MIDs, 10. */
  readonly concurrency?: number;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface MarketingCloudParts {
  readonly now?: () => number;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called once per call, its repeats included. It must not throw. */
  readonly onCall?: (call: CallReport) => void;
  readonly log?: Log;
}

export interface CallReport {
  readonly mid: string;
  /** Such as 'soap:Retrieve AsyncActivityStatus' or 'rest:isrunning': without ids. */
  readonly operation: string;
  /** Of the last answer; null when there was none. */
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly retried: number;
  /** How many API calls it cost, tokens left out. 0 when it never left. */
  readonly requests: number;
  /** What the call's X-Correlation-Id said: the caller's, or one of its own. */
  readonly correlationId: string;
}

export interface CallOptions {
  /** One is made up for a call that has none. */
  readonly correlationId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type FieldType =
  | 'Text'
  | 'Number'
  | 'Date'
  | 'Boolean'
  | 'EmailAddress'
  | 'Phone'
  | 'Decimal'
  | 'Locale';

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Of Text; null: as long as Marketing Cloud allows. Of Decimal, the precision. */
  readonly maxLength?: number | null;
  /** Of Decimal. */
  readonly scale?: number;
  readonly isPrimaryKey?: boolean;
  readonly isRequired?: boolean;
}

export interface NewDataExtension {
  readonly name: string;
  readonly customerKey: string;
  readonly fields: readonly Field[];
  /** A folder of data extensions. */
  readonly folderId?: string;
  /** Marketing Cloud removes rows and data extension after so many days; left out where the account may not. */
  readonly keepDays?: number;
}

export interface NewQuery {
  readonly name: string;
  /** 36 characters at most. */
  readonly customerKey: string;
  readonly sql: string;
  readonly target: { readonly customerKey: string; readonly name: string };
  /**
   * A folder of queries: one of data extensions is another kind and will not do. REST, the fallback where SOAP answers a
   * generic exception, takes the uppermost one if there is none here.
   */
  readonly folderId?: string;
}

/** Of AsyncActivityStatus, as it was answered but for blanks around it: no value is interpreted. Null: left out, or empty. */
export interface TaskStatus {
  readonly taskId: string;
  readonly status: string | null;
  readonly statusMessage: string | null;
  readonly errorMsg: string | null;
  readonly startDate: string | null;
  readonly completedDate: string | null;
}

export interface Validation {
  readonly valid: boolean;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface RowPage {
  /** Of all pages. */
  readonly count: number;
  readonly page: number;
  readonly pageSize: number;
  /** Names in lower case, whatever the answer's, values as Marketing Cloud wrote them. Keys and values of a row together. */
  readonly rows: readonly Readonly<Record<string, string | null>>[];
  /** For `rowsAfter`; null: the last page. */
  readonly next: string | null;
}

export interface DataExtension {
  readonly objectId: string;
  readonly customerKey: string;
  readonly name: string;
  readonly createdAt: string | null;
  readonly folderId: string | null;
}

/** A folder of data extensions. */
export interface Folder {
  readonly id: string;
  readonly name: string;
  /** Null of those at the top. */
  readonly parentId: string | null;
}

export interface QueryDefinition {
  readonly objectId: string;
  readonly customerKey: string;
  readonly name: string;
  readonly createdAt: string | null;
}

/** One business unit, by its MID. Every method throws MarketingCloudError. */
export interface BusinessUnit {
  readonly mid: string;
  /** Fields of a data extension that was made. `retention`: false where the account may not set it. */
  createDataExtension(
    dataExtension: NewDataExtension,
    options?: CallOptions,
  ): Promise<{ readonly objectId: string; readonly retention: boolean }>;
  /** By SOAP, or by REST where SOAP answers a generic exception. The id is the ObjectID: NewID is unreliable. */
  createQuery(query: NewQuery, options?: CallOptions): Promise<{ readonly objectId: string }>;
  startQuery(objectId: string, options?: CallOptions): Promise<{ readonly taskId: string }>;
  /** One call for all of them, split by 100. Tasks that Marketing Cloud does not know are left out; one can be there twice. */
  taskStatuses(taskIds: readonly string[], options?: CallOptions): Promise<TaskStatus[]>;
  isRunning(queryObjectId: string, options?: CallOptions): Promise<boolean>;
  validate(sql: string, options?: CallOptions): Promise<Validation>;
  /** A page of rows, the first being 1. Page size up to 2,500. `notFound`: no such data extension, or not readable yet. */
  rows(
    customerKey: string,
    options: CallOptions & { readonly page?: number; readonly pageSize: number },
  ): Promise<RowPage>;
  /** The page that `next` of the page before names, by the token that Marketing Cloud gave. */
  rowsAfter(next: string, options?: CallOptions): Promise<RowPage>;
  findQuery(customerKey: string, options?: CallOptions): Promise<QueryDefinition | null>;
  findDataExtension(customerKey: string, options?: CallOptions): Promise<DataExtension | null>;
  /** What is not there is deleted: false. */
  deleteQuery(objectId: string, options?: CallOptions): Promise<boolean>;
  deleteDataExtension(customerKey: string, options?: CallOptions): Promise<boolean>;
  /** All whose customer key begins so (and all there are with ''), over all pages of SOAP. */
  dataExtensions(prefix: string, options?: CallOptions): Promise<DataExtension[]>;
  /** Of data extensions of every kind, over all pages of SOAP. Those of other business units are left out. */
  folders(options?: CallOptions): Promise<Folder[]>;
  queries(prefix: string, options?: CallOptions): Promise<QueryDefinition[]>;
  fields(customerKey: string, options?: CallOptions): Promise<Field[]>;
}

export interface Stats {
  /** Requests sent, repeats included, tokens left out. */
  readonly calls: number;
  readonly byOperation: Readonly<Record<string, number>>;
  readonly tokens: number;
}

export interface MarketingCloud {
  /** The same object for the same MID. */
  businessUnit(mid: string): BusinessUnit;
  /** What the installed package may do in this business unit, such as `automations_execute`. Costs a token at most. */
  scopes(mid: string, options?: CallOptions): Promise<readonly string[]>;
  stats(): Stats;
  /** Refuses new calls and waits for those under way. */
  close(): Promise<void>;
}
