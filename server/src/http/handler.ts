import type { Contract, Contracts, RouteName, SettingInForce, SignIn } from '@millrace/api';
import type { AskedStore, Queue, Registry, Rule, Schedule, Scope, Worker } from '@millrace/engine';
import type { AuditLog, BulkLog, SavedThings } from '@millrace/store-postgres';
import type { routes } from '@millrace/workloads/contracts';
import type { Answer, Call, Handler, HealthCheck } from '@millrace/workload-kit';
import type { Config } from '../config/config.ts';
import type { FiguresWithin } from '../figures/overview.ts';
import type { Authenticate } from '../identity/caller.ts';
import type { Hub } from '../live/hub.ts';
import type { Logger } from '../log/log.ts';
import type { SandboxPage } from '../sandbox-pages.ts';
import type { Away } from '../stores/away.ts';
import type { Telemetry } from '../telemetry/types.ts';
import type { Admitted } from './admit.ts';
import type { OpenedWorkloads } from '../workloads/open.ts';

/** Dependencies of the routes. */
export interface AppParts {
  /** Jobs, as the caller may see and change them. Nothing else reaches them from a route. */
  readonly within: (scope: Scope) => WithinScope;
  /** Which stores are left out of lists and counts, because they do not answer. */
  readonly away: Pick<Away, 'places'>;
  readonly audit: AuditLog;
  readonly bulk: BulkLog;
  readonly saved: SavedThings;
  /** For the service's own jobs, which no caller could make. */
  readonly jobs: Pick<Queue, 'enqueue'>;
  /** The rules that this process knows. */
  readonly rules: () => readonly Pick<Rule, 'name' | 'parents' | 'child'>[];
  /** Null in a process that only serves the API. */
  readonly worker: Worker | null;
  readonly registry: Registry;
  /** The schedules of the job files and the workloads. */
  readonly schedules: () => readonly Schedule[];
  readonly config: Pick<
    Config,
    'host' | 'role' | 'webhook' | 'rateLimit' | 'generateLimit' | 'jobsFolder' | 'production'
  >;
  /** The name of this process among the replicas. */
  readonly replica: string;
  readonly authenticate: Authenticate;
  /** The details that clients need to sign in. */
  readonly signIn: SignIn;
  /** As they are in force. */
  readonly settings: () => readonly SettingInForce[];
  /** The pages of the simulators beside the server. */
  readonly sandboxPages: readonly SandboxPage[];
  readonly hub: Hub;
  readonly workloads: Pick<OpenedWorkloads, 'routes' | 'handler' | 'toProblem' | 'erase'>;
  readonly telemetry: Telemetry;
  readonly checks: readonly HealthCheck[];
  readonly log: Logger;
  /** Why nothing but a restart helps, in a sentence for anyone; null: the process is well. */
  readonly stopped: () => string | null;
  /** True once the process was asked to stop. */
  readonly isStopping: () => boolean;
}

export interface WithinScope {
  readonly queue: Queue;
  readonly store: Required<AskedStore>;
  readonly figures: FiguresWithin;
}

/** Dependencies of a route's handlers: the jobs as one caller may see them, never all of them. */
export interface RouteParts extends Omit<AppParts, 'within'>, WithinScope {
  readonly scope: Scope;
}

/** With what was found out about its caller. */
export interface AdmittedCall extends Call, Admitted {}

export type AdmittedHandler = (call: AdmittedCall) => Promise<Answer<Contract>>;

export { type Answer, type Call, type Handler, type Upload, ok } from '@millrace/workload-kit';

/** The stream of events is no answer that a handler could give: live/route.ts serves it. */
export type Answered = Exclude<RouteName, 'events'>;

/** Answered by `routes/`, whatever the workloads are. */
export type OwnRoute = Exclude<Answered, keyof typeof routes>;

export type Handlers<Names extends Answered = Answered> = {
  readonly [Name in Names]: Handler<Contracts[Name]>;
};
