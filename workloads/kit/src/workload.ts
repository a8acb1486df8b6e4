import type {
  Clock,
  JobKind,
  Log,
  PoolConfig,
  Queue,
  Registry,
  Rule,
  RuleBook,
  Schedules,
  Store,
} from '@millrace/engine';
import type { Salesforce } from '@millrace/salesforce';
import type { Migrations, PostgresStore } from '@millrace/store-postgres';
import type { SalesforceStore } from '@millrace/store-salesforce';
import type { WorkloadBudget } from './budget.ts';
import type { Contract } from './contract/contract.ts';
import type { MetricTable, Recorder, SetGauge } from './contract/metrics.ts';
import type { WorkloadContract } from './contract/tables.ts';
import type { EndedJob } from './ended-jobs.ts';
import type { Finding } from './finding.ts';
import type { HandlersOf } from './handler.ts';
import type { HealthCheck } from './health.ts';
import type { Importer } from './import.ts';
import type { Belonging, Scope } from './scope.ts';
import type { Settings } from './settings.ts';
import type { Step } from './step.ts';

/**
 * Work that ships with Millrace, as a module of one shape. The server goes through a list of them and names none.
 * First `load`, which reads the files that people have written for it. Then `declare`, which is pure: kinds must be known before
 * a store can be opened. Then `open`, with the store and the queue. A kind's `run` is given what `open` made, so that no kind has
 * to look for its service
 * (docs/decisions/0019-workload-modules.md).
 */
export interface Workload<
  Config = unknown,
  Service = unknown,
  Own extends WorkloadContract = WorkloadContract,
  Loaded = unknown,
> {
  readonly name: string;
  readonly settings: Settings<Config>;
  readonly contract: Own;
  /** Of its own tables, which `open` sets up or updates with `migrate`; left out, it has none. */
  readonly migrations?: Migrations;
  /** It makes kinds for the records of Salesforce orgs. Orgs without such a workload are refused at start. */
  readonly takesOrgs?: true;
  /** Files that are wrong are no reason to throw: what is right of them goes on. */
  load?(config: Config): Promise<Loaded>;
  /** `loaded`: what `load` gave. */
  declare(config: Config, around: Surroundings, loaded: Loaded): Declared<Service>;
  /** What it would stand on with these settings, one after the other, for `millrace doctor`. Nothing is changed. */
  examine?(config: Config): AsyncIterable<Finding>;
  /** Where it keeps files beside the database with these settings: who backs up or moves the one needs the others too. */
  keepsFiles?(config: Config, dataFolder: string): readonly KeptFiles[];
  /** What people may bring along from another system, by the word that their file has for it. */
  readonly imports?: Readonly<Record<string, Importer<Config>>>;
  open(
    host: Host<Own['metrics']>,
    config: Config,
    loaded: Loaded,
  ): Promise<Opened<Service, Own['routes'], Own['metrics']>>;
}

export interface KeptFiles {
  /** In a few words, such as "files of reports". */
  readonly what: string;
  readonly folder: string;
}

/** What is known before anything is open. */
export interface Surroundings {
  /** The Salesforce orgs whose records are a queue. */
  readonly orgs: readonly { readonly name: string; readonly retries: number }[];
}

export interface Declared<Service> {
  readonly kinds: readonly DeclaredKind<Service>[];
  readonly rules?: readonly Rule[];
  /** Rules that are data, and may change while the process runs. */
  readonly books?: readonly RuleBook[];
  readonly schedules?: Schedules;
  /** Beside those of the operator, for kinds that must not wait behind others. */
  readonly pools?: readonly PoolConfig[];
}

export interface DeclaredKind<Service> {
  readonly kind: JobKind<unknown, Service>;
  /** The org whose records are its jobs; left out, they are in the main store. */
  readonly org?: string;
  /** Its jobs go to Redis where there is one; left out, they are in the main store. */
  readonly redis?: true;
  /** Each execution makes a document: the overview holds how long they take against what is promised of documents. */
  readonly makes?: 'document';
  /** So many of all kinds that have a room can run here at once, together: their pools claim no more, whichever store their jobs are in. */
  readonly room?: number;
  /** Parts of its store without which it cannot run: refused at start, not after the work is done. */
  readonly needs?: readonly (keyof Store)[];
}

/** A Salesforce org whose records are a queue. */
export interface Org {
  readonly name: string;
  /** Whose jobs its records are, and whose templates its files. */
  readonly tenant: string;
  readonly salesforce: Salesforce;
  readonly store: SalesforceStore;
}

/** What a workload stands on. */
export interface Host<Metrics extends MetricTable = MetricTable> {
  readonly store: Pick<PostgresStore, 'database'>;
  readonly queue: Queue;
  readonly registry: Registry;
  readonly orgs: readonly Org[];
  readonly telemetry: Recorder<Metrics> & { readonly call: MeasuredCall };
  readonly fetchPublic: FetchPublic;
  readonly live: Live;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends something to a URL of the outside, signed as webhooks are, to public addresses only. Throws a `JobFailure`. */
  readonly deliver: Deliver;
  /** Refuses a URL that `deliver` would refuse, as far as that is known without asking the network. Throws a `Refusal`. */
  readonly requireWebhook: (url: string) => void;
  /** What pipelines can have done, of all workloads that are open by then. */
  readonly steps: (name: string) => Step | undefined;
  /** Where the process keeps what it has: a workload takes a folder of its own name in it. */
  readonly dataFolder: string;
  /** Of Millrace. */
  readonly version: string;
}

/** Tells who watches, in whichever replica, that things of the workload's own have changed. */
export interface Live {
  /** Never throws and never waits: an announcement may get lost, so whoever listens also looks now and then. */
  announce(topic: string, id: string): void;
  /** `ids`: these have changed; null: any may have, since announcements were missed. Gives what ends it. */
  listen(topic: string, listener: (ids: readonly string[] | null) => void): () => void;
}

/** How things of a workload appear in live events. */
export interface Topic {
  /** As they are now; what is gone is left out. */
  read(ids: readonly string[]): Promise<readonly Thing[]>;
  /** What a new reader is sent first: those that are not over, the newest of them. */
  present(scope: Scope): Promise<readonly Thing[]>;
}

export interface Thing extends Belonging {
  readonly id: string;
  /** As the contract of the topic has it. */
  readonly event: object;
}

/** Runs a call to something outside, and tells how long it took. */
export type MeasuredCall = <T>(
  call: {
    readonly dependency: string;
    readonly operation: string;
    readonly correlationId?: string;
  },
  run: () => Promise<T>,
) => Promise<T>;

export type Deliver = (delivery: {
  readonly url: string;
  /** The same over all tries, so that the receiver can drop a repetition. */
  readonly id: string;
  readonly body: unknown;
  readonly correlationId: string;
  /** Sent as `authorization: Bearer …`. */
  readonly bearer?: string;
  readonly signal: AbortSignal;
}) => Promise<{ readonly status: number }>;

/** Bytes from the public internet by https: no private address, no redirect. Throws `FetchRefused`. */
export type FetchPublic = (
  url: string,
  options: {
    /** What the metrics call it. */
    readonly dependency: string;
    readonly accept: string;
    readonly maxBytes: number;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<Uint8Array>;

/** The sentence names the host alone: paths and queries may hold a token. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused';
  readonly retryable: boolean;
  constructor(message: string, retryable: boolean) {
    super(message);
    this.retryable = retryable;
  }
}

export interface Opened<
  Service = unknown,
  Routes extends Readonly<Record<string, Contract>> = Readonly<Record<string, Contract>>,
  Metrics extends MetricTable = MetricTable,
> {
  /** Given to `run` of each kind. */
  readonly service: Service;
  /** The routes as they are for one caller: nothing that they reach is beyond the scope. */
  handlers(scope: Scope): HandlersOf<Routes>;
  readonly checks?: readonly HealthCheck[];
  /** Read when someone asks for metrics, and not before. */
  gauges?(set: SetGauge<Metrics>): void;
  /** Hears of every execution of its own kinds when its end is written. */
  ended?(job: EndedJob): void;
  /** What it uses up or shares out, as it is now: read whenever somebody looks. */
  budgets?(): Promise<readonly WorkloadBudget[]>;
  readonly chores?: readonly Chore[];
  /** What pipelines can have it do, by the word that they use for it. */
  readonly steps?: Readonly<Record<string, Step>>;
  /** What it announces with `Host.live`, by the topic. */
  readonly topics?: Readonly<Record<string, Topic>>;
  /** What was thrown, as what the caller is answered; null: it is not of this workload. */
  toProblem?(thrown: unknown): WorkloadProblem | null;
  /** Removes what is kept about someone, and counts it by what it was. */
  erase?(subject: string): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export interface WorkloadProblem {
  readonly code: string;
  readonly detail: string;
  /** Where this time is not as the error table says it usually is. */
  readonly retryable?: boolean;
}

/** Done now and then in every replica, which do not get in each other's way. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  runOnce(): Promise<{ readonly more: boolean }>;
}
