import { createPublicKey } from 'node:crypto';
import {
  type Place,
  checkDistinct,
  checkWholeNumbers,
  invalidOption,
  settlePlace,
} from '@millrace/simulator-kit';

export interface User {
  /** Such as `integration@sandbox.test`; the `sub` of a JWT bearer assertion. */
  readonly username: string;
  readonly name?: string;
  readonly email?: string;
  /** Has the package's custom permission for the service. True when left out. */
  readonly integration?: boolean;
}

/** A connected app. It has a public key, or a secret, or both. */
export interface ConnectedApp {
  readonly clientId: string;
  /** PEM of the certificate or of the public key that its JWT bearer assertions are checked with. */
  readonly certificate?: string;
  /** For client credentials. */
  readonly secret?: string;
  /** User name that client credentials run as. The first user when left out. */
  readonly runAs?: string;
  /** User names that may use JWT bearer. All users when left out. */
  readonly approved?: readonly string[];
}

export interface SalesforceOptions {
  /** `127.0.0.1` when left out. */
  readonly host?: string;
  /** 0, a free one, when left out. */
  readonly port?: number;
  /** Folders of sfdx objects, `…/force-app/main/default/objects`, that are deployed in the org. */
  readonly objects?: string | readonly string[];
  /**
   * Whether the package's Apex (its REST endpoints and its trigger) is installed. Left out: it is, where
   * `objects` is given.
   */
  readonly apex?: boolean;
  /** The package's namespace: its objects, fields and endpoints have this prefix. */
  readonly namespace?: string;
  /** One integration user, `integration@sandbox.test`, when left out. */
  readonly users?: readonly User[];
  readonly apps?: readonly ConnectedApp[];
  /** Addresses of the org's named credentials, by name. None when left out. */
  readonly namedCredentials?: Readonly<Record<string, string>>;
  /** Calls in 24 hours. 100,000 when left out. */
  readonly dailyApiRequests?: number;
  /** New versions of files in 24 hours. 200,000 when left out. */
  readonly dailyContentVersions?: number;
  /** A session that is not used for so long has ended. Two hours when left out. */
  readonly sessionTimeoutMs?: number;
  /** Each request waits so long before it is worked on, in real time. 0 when left out. */
  readonly latencyMs?: number;
  /** How long a row that someone else changes is waited for. 10,000 when left out. */
  readonly lockWaitMs?: number;
  /** How long a long poll of the Streaming API stays open, in real time. 110,000 when left out. */
  readonly longPollMs?: number;
  /** Bytes of all files together. No limit when left out. */
  readonly storageBytes?: number;
  /** Where the data is kept over a restart. Left out: only in memory. */
  readonly stateFile?: string;
  /** The clock, in milliseconds since 1970. Real time when left out. */
  readonly now?: () => number;
  /** The seed of faults by chance: the same seed, the same strikes. */
  readonly seed?: number;
}

export interface Settings extends Place {
  readonly objects: readonly string[];
  readonly apex: boolean;
  readonly namespace: string | null;
  readonly users: readonly User[];
  readonly apps: readonly ConnectedApp[];
  readonly namedCredentials: Readonly<Record<string, string>>;
  readonly dailyApiRequests: number;
  readonly dailyContentVersions: number;
  readonly sessionTimeoutMs: number;
  readonly latencyMs: number;
  readonly lockWaitMs: number;
  readonly longPollMs: number;
  readonly storageBytes: number;
  readonly stateFile: string | null;
  readonly now: () => number;
  readonly seed: number;
}

const TWO_HOURS = 7_200_000;

/** Options with their defaults, checked. Throws an error with the code `invalid_option`. */
export function settle(options: SalesforceOptions): Settings {
  const { objects = [] } = options;
  const settings: Settings = {
    ...settlePlace(options, 'It is part of instance_url, which clients follow.'),
    objects: typeof objects === 'string' ? [objects] : objects,
    apex: options.apex ?? objects.length > 0,
    namespace: options.namespace ?? null,
    users: options.users ?? [{ username: 'integration@sandbox.test', name: 'Integration User' }],
    apps: options.apps ?? [],
    namedCredentials: options.namedCredentials ?? {},
    dailyApiRequests: options.dailyApiRequests ?? 100_000,
    dailyContentVersions: options.dailyContentVersions ?? 200_000,
    sessionTimeoutMs: options.sessionTimeoutMs ?? TWO_HOURS,
    latencyMs: options.latencyMs ?? 0,
    lockWaitMs: options.lockWaitMs ?? 10_000,
    longPollMs: options.longPollMs ?? 110_000,
    storageBytes: options.storageBytes ?? Number.MAX_SAFE_INTEGER,
    stateFile: options.stateFile ?? null,
    now: options.now ?? Date.now,
    seed: options.seed ?? 1,
  };
  checkWholeNumbers(settings, {
    dailyApiRequests: 0,
    dailyContentVersions: 0,
    sessionTimeoutMs: 1,
    latencyMs: 0,
    lockWaitMs: 0,
    longPollMs: 1,
    storageBytes: 0,
    seed: 0,
  });
  checkNames(settings);
  for (const app of settings.apps) checkApp(app, settings);
  return settings;
}

function checkNames({ namespace, users, apps }: Settings): void {
  if (namespace !== null && !/^[A-Za-z][A-Za-z0-9]{0,14}$/.test(namespace)) {
    throw invalidOption('namespace: give up to 15 letters and digits, a letter first.');
  }
  if (users.length === 0) throw invalidOption('users: an org has at least one.');
  checkDistinct(
    'users',
    'username',
    users.map(({ username }) => username.toLowerCase()),
  );
  checkDistinct(
    'apps',
    'clientId',
    apps.map(({ clientId }) => clientId),
  );
}

function checkApp(
  { clientId, certificate, secret, runAs }: ConnectedApp,
  { users }: Settings,
): void {
  if (certificate === undefined && secret === undefined) {
    throw invalidOption(`apps: ${clientId} has neither a certificate nor a secret.`);
  }
  if (certificate !== undefined && !isRsaKey(certificate)) {
    throw invalidOption(
      `apps: the certificate of ${clientId} is no PEM of a certificate or public key for RS256.`,
    );
  }
  if (secret === '') throw invalidOption(`apps: the secret of ${clientId} is empty.`);
  if (runAs !== undefined && !users.some(({ username }) => username === runAs)) {
    throw invalidOption(`apps: ${clientId} runs as ${runAs}, who is no user.`);
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
