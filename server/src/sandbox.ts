import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROLES, type RunningServer } from '@millrace/api';
import type { Identity as Issuer } from '@millrace/simulator-identity';
import { z } from 'zod';
import type { Closing } from './closing.ts';
import type { Config, SalesforceConfig } from './config/config.ts';
import type { IdentityConfig } from './config/identity.ts';
import type { RealIdentity } from './identity/identity.ts';
import { startOrg } from './sandbox-org.ts';
import { StartError } from './start-error.ts';
import { writePrivate } from './private-file.ts';

/** The public client that people sign in with, and the one that the command line of this machine is. */
const PEOPLE = 'millrace';
const LOCAL = 'millrace-local';

/**
 * The issuer that stands in where none is configured: on this machine alone, and never in production. A real issuer and no
 * bypass, so that every first try goes through the checks of production (docs/decisions/0006-identity.md).
 */
export interface Sandbox {
  readonly identity: Extract<IdentityConfig, { mode: 'issuer' }>;
  /** Where people look into the issuer. */
  readonly page: string;
  /** For the person at the terminal. */
  readonly password: string;
  /** A link that signs them in, as admin, and leads to this address. */
  entrance(to: string): string;
  /** Lets the command line of this user in, until the process ends. */
  readonly client: NonNullable<RunningServer['client']>;
  close(): Promise<void>;
}

/** State that survives a restart, so that people stay signed in. */
const kept = z.object({
  port: z.number(),
  password: z.string(),
  keys: z.array(z.record(z.string(), z.unknown())),
});

export async function startSandbox(dataFolder: string): Promise<Sandbox> {
  const folder = join(dataFolder, 'sandbox');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'identity.json');
  const before = await readKept(file);
  const password = before?.password ?? randomBytes(6).toString('base64url');
  const secret = randomBytes(24).toString('base64url');
  const issuer = await startIssuer({ port: before?.port ?? 0, password, secret, before });
  const { port } = new URL(issuer.origin);
  const keys = await issuer.exportKeys();
  await writePrivate(file, { port: Number(port), password, keys });

  return {
    password,
    page: `${issuer.origin}/_sim/`,
    entrance: (to) => issuer.entrance(userOf('admin'), to),
    identity: {
      mode: 'issuer',
      issuers: [issuer.issuer],
      audiences: [issuer.audience],
      jwksUri: issuer.jwksUri,
      clientId: PEOPLE,
    },
    client: {
      issuer: issuer.issuer,
      scope: issuer.scope,
      clientId: LOCAL,
      clientSecret: secret,
    },
    close: () => issuer.close(),
  };
}

/** On the port it had, so that its name stays the same; on another where that one is taken. */
/** One for each role. */
export const SANDBOX_USERS: readonly string[] = ROLES.map(userOf);

function userOf(role: (typeof ROLES)[number]): string {
  return `${role}@sandbox`;
}

async function startIssuer(params: {
  port: number;
  password: string;
  secret: string;
  before: z.infer<typeof kept> | null;
}): Promise<Issuer> {
  const { startIdentity } = await import('@millrace/simulator-identity');
  const { port, password, secret, before } = params;
  const start = (on: number): Promise<Issuer> =>
    startIdentity({
      port: on,
      users: ROLES.map((role) => ({
        username: userOf(role),
        name: `Sandbox ${role}`,
        password,
        roles: [role],
      })),
      clients: [
        { id: PEOPLE, name: 'Millrace' },
        { id: LOCAL, name: 'Millrace on this machine', secret, roles: ['admin'] },
      ],
      ...(before !== null && { keys: before.keys as never }),
    });
  try {
    return await start(port);
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!taken) throw error;
    return start(0);
  }
}

/** An unreadable file is created again; people then only have to sign in again. */
async function readKept(file: string): Promise<z.infer<typeof kept> | null> {
  try {
    return kept.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return null;
  }
}

/** With the simulated org, where it is asked for. */
export async function withSandboxOrg(
  { salesforce, dataFolder }: Config,
  closing: Closing,
): Promise<{ salesforce: SalesforceConfig; page: string | null }> {
  if (!salesforce.sandbox) return { salesforce, page: null };
  const org = await startOrg(dataFolder);
  closing.add(() => org.close());
  return { salesforce: { ...salesforce, orgs: [org.config] }, page: org.page };
}

export async function openSandbox({ dataFolder }: Config): Promise<Sandbox> {
  try {
    return await startSandbox(dataFolder);
  } catch (error) {
    throw new StartError(`The sandbox cannot be started in ${dataFolder}: ${String(error)}`, {
      cause: error,
    });
  }
}

export function identityOf(config: Config, sandbox: Sandbox | null): RealIdentity {
  if (sandbox !== null) return sandbox.identity;
  if (config.identity.mode === 'sandbox') throw new Error('the sandbox was not started');
  return config.identity;
}
