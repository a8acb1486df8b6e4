import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role, RunningServer, SignIn } from '@millrace/api';
import { type Identity, type PrivateJwk, startIdentity } from '@millrace/simulator-identity';
import { onTestFinished } from 'vitest';
import { createPrivateFiles } from '../src/connection/private-files.ts';
import { type ContractServer, refusal, startContractServer } from './contract-server.ts';
import { NOW, aJob } from './jobs.ts';
import { signInAt } from './person.ts';
import { type Clock, type Ran, type Surroundings, run, words } from './run.ts';
import { type Service, createService } from './service.ts';

export const ADA = 'ada@sandbox.test';
export const PUBLIC_CLIENT = 'millrace-cli';
export const DAEMON = { id: 'daemon', secret: 'a-secret-of-the-daemon', roles: ['operator'] };
export const SCRIPT = { id: 'sandbox-script', secret: 'a-secret-of-the-sandbox', roles: ['admin'] };

export const AS_DAEMON = {
  MILLRACE_CLIENT_ID: DAEMON.id,
  MILLRACE_CLIENT_SECRET: DAEMON.secret,
};

/** A server that identifies its callers, its issuer, and a folder for what this user keeps. */
export interface Protected {
  readonly identity: Identity;
  readonly server: ContractServer;
  readonly service: Service;
  readonly clock: Clock;
  /** What the server says about signing in; tests change it. */
  readonly signIn: { -readonly [Name in keyof SignIn]: SignIn[Name] };
  readonly folder: string;
  readonly credentialsFile: string;
  /** By server; empty where nothing is kept. */
  credentials(): Promise<Record<string, Kept>>;
  /** The file by which the server lets this user's command line in. */
  readonly runningFile: string;
  writeRunning(changes?: Partial<RunningServer>): Promise<void>;
  millrace(argv: string, surroundings?: Surroundings): Promise<Ran>;
}

export interface Kept {
  issuer: string;
  clientId: string;
  accessToken: string;
  refreshToken: string | null;
  expiresAt: string | null;
}

/** Making an RSA key takes longer than most tests: one does for all of a file. */
let keys: readonly PrivateJwk[] | undefined;

/** The issuer is real; the server believes the tokens of its issuer until they end. */
/** Which installation it is. */
export const PLACE = { version: '0.0.0', environment: null, sandbox: false };

export async function protectedFixture(clock: Clock = { now: NOW }): Promise<Protected> {
  const identity = await startIdentity({
    now: () => clock.now,
    users: [{ username: ADA, name: 'Ada', roles: ['operator'] }],
    clients: [{ id: PUBLIC_CLIENT, name: 'The command line' }, DAEMON, SCRIPT],
    ...(keys !== undefined && { keys }),
  });
  keys ??= await identity.exportKeys();
  onTestFinished(() => identity.close());
  const signIn = {
    ...PLACE,
    required: true,
    issuer: identity.issuer,
    clientId: PUBLIC_CLIENT,
    scope: identity.scope,
  };
  const service = createService([aJob()]);
  guard(service, identity.issuer, clock);
  service.handlers.signIn = () => signIn;
  const server = await startContractServer(service.handlers);
  onTestFinished(() => server.stop());
  return { identity, server, service, clock, signIn, ...(await kept(server, clock, signIn)) };
}

async function kept(server: ContractServer, clock: Clock, signIn: SignIn) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const credentialsFile = join(folder, 'config/millrace/credentials.json');
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  const runningFile = join(folder, 'state/millrace/running/one.json');
  const files = createPrivateFiles(process.getuid?.() ?? null);
  return {
    folder,
    credentialsFile,
    async credentials() {
      const text = await readFile(credentialsFile, 'utf8').catch(() => '{}');
      return JSON.parse(text) as Record<string, Kept>;
    },
    runningFile,
    async writeRunning(changes: Partial<RunningServer> = {}) {
      const { issuer, scope } = signIn;
      const client = { clientId: SCRIPT.id, clientSecret: SCRIPT.secret };
      const told: RunningServer = {
        url: server.url,
        folder: '/somewhere',
        pid: 1,
        startedAt: NOW,
        client: { issuer: issuer ?? '', scope: scope ?? '', ...client },
        simulatedOrg: null,
        ...changes,
      };
      await files.write(runningFile, JSON.stringify(told));
    },
    millrace: (argv: string, surroundings: Surroundings = {}) =>
      run(words(argv), surroundings.unnamed === true ? null : server.url, {
        clock,
        files,
        ...surroundings,
        env: { ...env, ...surroundings.env },
      }),
  };
}

/** Ada signs in with her browser. Gives what is kept; the server forgets that it was asked. */
export async function login({ millrace, server, credentials }: Protected): Promise<Kept> {
  const { code, stderr } = await millrace('login', {
    terminal: 80,
    openBrowser: (address) => void signInAt(address, ADA),
  });
  const found = (await credentials())[server.url];
  if (code !== 0 || found === undefined) throw new Error(`Ada could not sign in: ${stderr}`);
  server.requests.length = 0;
  server.tokens.length = 0;
  return found;
}

interface Claims {
  readonly iss: string;
  readonly exp: number;
  readonly sub: string;
  readonly preferred_username?: string;
  readonly azp?: string;
  readonly roles?: Role[];
}

/** What is in a token. Whether it is good is the server's affair, not the command line's. */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
}

export function nameIn(token: string | null | undefined): string {
  const { preferred_username, azp } = claimsOf(token ?? '');
  return preferred_username ?? azp ?? 'nobody';
}

function guard({ handlers }: Service, issuer: string, clock: Clock): void {
  const checked = (token: string | null): Claims => {
    if (token === null) throw refusal('unauthenticated', 'There is no token.');
    const claims = token.includes('.') ? claimsOf(token) : null;
    if (claims?.iss !== issuer) throw refusal('token_invalid', 'Invalid token.');
    if (claims.exp * 1_000 <= clock.now) throw refusal('token_expired', 'The token has expired.');
    return claims;
  };
  const { listJobs } = handlers;
  handlers.listJobs = (call) => {
    checked(call.token);
    return listJobs?.(call) ?? { jobs: [], next: null };
  };
  handlers.me = ({ token }) => {
    const { sub, exp, roles = [] } = checked(token);
    const expiresAt = new Date(exp * 1_000).toISOString();
    const tenants = null;
    return { ...PLACE, name: nameIn(token), subject: sub, roles, claims: {}, tenants, expiresAt };
  };
}
