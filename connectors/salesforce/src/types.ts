import type { Readable } from 'node:stream';
import type { SalesforceError } from './errors.ts';

export interface SalesforceConfig {
  /** My Domain, login.salesforce.com or test.salesforce.com. https, except on this machine. */
  readonly loginUrl: string;
  readonly auth: JwtAuth | ClientCredentialsAuth;
  /** '59.0'. */
  readonly apiVersion?: string;
  /**
   * 120,000. From the start to the last byte of a JSON answer; for files, the longest time in which not one
   * byte moves.
   */
  readonly timeoutMs?: number;
  /** Requests at once, 20. Salesforce allows 25 that take longer than 20 s (5 in Developer Edition). */
  readonly concurrency?: number;
}

export interface JwtAuth {
  readonly type: 'jwt';
  readonly clientId: string;
  readonly username: string;
  /** PEM. */
  readonly privateKey: string;
  /** By loginUrl: https://login.salesforce.com, https://test.salesforce.com for a sandbox, else its origin. */
  readonly audience?: string;
}

export interface ClientCredentialsAuth {
  readonly type: 'clientCredentials';
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface SalesforceParts {
  readonly now?: () => number;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called once per call, its repeats included. It must not throw. */
  readonly onCall?: (call: CallReport) => void;
  readonly log?: Log;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface CallReport {
  readonly method: Method;
  /** Without ids and query, such as 'sobjects/ContentVersion' or 'composite/graph'. */
  readonly path: string;
  /** Of the last answer; null when there was none. */
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly retried: number;
  /** How many API calls it cost. 0 when it never left. */
  readonly requests: number;
  readonly correlationId?: string;
}

export interface CallOptions {
  readonly correlationId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** 'batch' unless set. Interactive calls go first, and go on when the API limit is used up. */
  readonly lane?: 'interactive' | 'batch' | undefined;
}

/** `repeatable`: may be sent again when its answer was lost. GETs always may. */
export interface WriteOptions extends CallOptions {
  readonly repeatable?: boolean | undefined;
}

export interface RequestParams extends WriteOptions {
  readonly method: Method;
  /** Relative to /services/data/vXX.X/ (no leading slash), or absolute (leading slash). */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ApexParams = Omit<RequestParams, 'headers'>;

export type SalesforceRecord = Readonly<Record<string, unknown>>;

export interface RowError {
  readonly statusCode: string;
  readonly message: string;
  readonly fields: readonly string[];
}

export interface RowAnswer {
  /** Null where there is no row. */
  readonly id: string | null;
  readonly success: boolean;
  /** Known after an upsert. */
  readonly created?: boolean;
  readonly errors: readonly RowError[];
}

export interface CollectionOptions extends WriteOptions {
  /** False unless set: each row stands alone. True holds for 200 rows, one call, at most. */
  readonly allOrNone?: boolean;
}

/**
 * Calls of 200 rows, one after the other; answers in the order of the rows. A call that fails as a whole throws and ends
 * the series; its outcome is 'unknown' where calls before it went through.
 */
export interface Collections {
  create(
    type: string,
    records: readonly SalesforceRecord[],
    options?: CollectionOptions,
  ): Promise<RowAnswer[]>;
  update(
    type: string,
    records: readonly (SalesforceRecord & { readonly Id: string })[],
    options?: CollectionOptions,
  ): Promise<RowAnswer[]>;
  /** Each record holds the external id's field. */
  upsert(
    type: string,
    externalId: string,
    records: readonly SalesforceRecord[],
    options?: CollectionOptions,
  ): Promise<RowAnswer[]>;
  remove(ids: readonly string[], options?: CollectionOptions): Promise<RowAnswer[]>;
}

export interface Subrequest {
  readonly method: Method;
  /** Relative to the version, as `sobjects/X/…`, or absolute. */
  readonly url: string;
  readonly referenceId: string;
  readonly body?: unknown;
  readonly httpHeaders?: Readonly<Record<string, string>>;
}

export interface SubResponse {
  readonly referenceId: string;
  readonly httpStatusCode: number;
  readonly body: unknown;
  readonly httpHeaders: Readonly<Record<string, string>>;
}

/** `failed` is the graph's own first error; its referenceId names the subrequest. */
export type GraphAnswer =
  | { readonly ok: true; readonly responses: readonly SubResponse[] }
  | {
      readonly ok: false;
      readonly responses: readonly SubResponse[];
      readonly failed: SalesforceError;
    };

export interface FileStream {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, where Salesforce said. */
  readonly size: number | null;
  /** Read it to its end or destroy it: it holds a connection. */
  readonly body: Readable;
}

export interface UploadFile {
  /** File name with its ending. */
  readonly name: string;
  readonly title?: string;
  /** Further fields of ContentVersion. */
  readonly fields?: SalesforceRecord;
  /** Bytes. */
  readonly size: number;
  /** A function that opens the body again lets the upload be repeated after an expired session. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>);
}

export interface ListenParams {
  /** Such as '/event/Docgen_Wakeup__e'. */
  readonly channel: string;
  /** The event as Salesforce sends it: `{ payload, event: { replayId } }`. What it throws is logged. */
  readonly onEvent: (data: unknown) => void;
  /** 'away': events are lost until it is 'listening' again. */
  readonly onState?: (state: 'listening' | 'away') => void;
}

export interface Listening {
  /** Ends at once, also a long poll. No event comes after it was called. */
  stop(): Promise<void>;
}

export type Budget =
  | {
      readonly level: 'fine' | 'slow' | 'stop';
      readonly used: number;
      readonly max: number;
      readonly ratio: number;
      /** When Salesforce said so. */
      readonly at: number;
    }
  | { readonly level: 'unknown' };

export interface Stats {
  /** Requests sent that count against the org's API limit, repeats included. */
  readonly calls: number;
  readonly byRoute: Readonly<Record<string, number>>;
  /** Tokens asked for. They are not API calls. */
  readonly tokens: number;
}

export interface Salesforce {
  readonly apiVersion: string;
  /** JSON in and out; 204 gives null. */
  request<T>(params: RequestParams): Promise<T>;
  /** Follows nextRecordsUrl, until `most` records. */
  query<T>(soql: string, options?: CallOptions & { readonly most?: number }): Promise<T[]>;
  /** `pageSize` is a wish: Salesforce takes 200 to 2,000. */
  pages<T>(
    soql: string,
    options?: CallOptions & { readonly pageSize?: number },
  ): AsyncGenerator<T[], void, undefined>;
  readonly collections: Collections;
  /** At most 25 subrequests, 5 of them queries or collections. */
  composite(
    subrequests: readonly Subrequest[],
    options: WriteOptions & { readonly allOrNone: boolean },
  ): Promise<SubResponse[]>;
  /**
   * Each graph is atomic. They are grouped into calls by count (75 graphs, 500 nodes) and by size (30 MB); answers in
   * order. It does not throw when a call fails: each graph of that call has the error, with outcome 'unknown' when
   * the answer was lost. Graphs that met a row lock are sent again.
   */
  graphs(
    graphs: readonly (readonly Subrequest[])[],
    options?: WriteOptions,
  ): Promise<GraphAnswer[]>;
  /** `path` under /services/apexrest/. */
  apex<T>(params: ApexParams): Promise<T>;
  /** A file whole. `most` bytes, 100 MB unless set. */
  download(path: string, options?: CallOptions & { readonly most?: number }): Promise<Uint8Array>;
  stream(path: string, options?: CallOptions): Promise<FileStream>;
  /** A new ContentVersion. Never sent again after a lost answer. */
  upload(file: UploadFile, options?: CallOptions): Promise<{ id: string }>;
  /**
   * New events of a channel, by the Streaming API, until it is stopped. They are hints: some may be lost. It never throws:
   * what goes wrong is logged once, and tried again after 1 s to 5 minutes. It costs no API calls and no slot.
   */
  listen(params: ListenParams): Listening;
  limits(options?: CallOptions): Promise<Record<string, { Max: number; Remaining: number }>>;
  budget(): Budget;
  /** The org's clock in ms, by the Date of its answers; this machine's until the first answer. */
  now(): number;
  stats(): Stats;
  /** Refuses new calls, ends open streams and waits for the calls under way. */
  close(): Promise<void>;
}
