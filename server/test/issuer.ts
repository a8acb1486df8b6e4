import { routes as ofWorkloads } from '@millrace/workloads/contracts';
import { NO_WORKLOADS } from '../src/workloads/open.ts';
import { defineJob, done } from '@millrace/engine';
import { type Identity as Issuer, startIdentity } from '@millrace/simulator-identity';
import type { JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { type Harness, createHarness } from './harness.ts';
import { createLog } from '../src/log/log.ts';
import { createIdentity } from '../src/identity/identity.ts';

/**
 * Tokens of a real issuer over HTTP, through the whole app: a new issuer for each test of the file that calls `useIssuer`, and
 * the app that the test starts; or one of each for a file that calls `useOneIssuer`. Both are the current ones wherever they are read.
 */

const hello = defineJob({
  kind: 'hello',
  input: z.unknown(),
  public: true,
  run: async () => done(),
});
const log = createLog({ level: 'silent', readable: false, secrets: [] });

export let issuer: Issuer;
export let harness: Harness;

// Making keys is slow: one pair serves all.
const first = await startIdentity();
const signingKeys = await first.exportKeys();
await first.close();

export function useIssuer(): void {
  beforeEach(startIssuer);
  afterEach(closeAll);
}

/** One issuer and one app for the whole file: for tests that only ask. */
export function useOneIssuer(): void {
  beforeAll(async () => {
    await startIssuer();
    start();
  });
  afterAll(closeAll);
}

async function startIssuer(): Promise<void> {
  issuer = await startIdentity({ keys: signingKeys });
}

async function closeAll(): Promise<void> {
  await harness?.close();
  await issuer.close();
}

export function start(
  config: {
    issuers?: string[];
    audiences?: string[];
    rateLimit?: number;
    tenantClaim?: string;
    callerClaims?: readonly string[];
  } = {},
): Harness {
  const identity = createIdentity(
    {
      mode: 'issuer',
      issuers: config.issuers ?? [issuer.issuer],
      audiences: config.audiences ?? [issuer.audience],
      jwksUri: issuer.jwksUri,
      clientId: 'millrace',
    },
    log,
    { call: (_, run) => run() },
    { tenantClaim: config.tenantClaim ?? null, callerClaims: config.callerClaims ?? ['county'] },
  );
  harness = createHarness({
    kinds: [hello],
    parts: {
      authenticate: identity.authenticate,
      signIn: { ...identity.signIn, version: '0.0.0', environment: null, sandbox: false },
      checks: identity.checks,
      // Whoever may not is refused before anything is asked of it.
      workloads: {
        ...NO_WORKLOADS,
        routes: new Set(Object.keys(ofWorkloads)),
        handler: () => () => Promise.reject(new Error('it was asked')),
      },
    },
    ...(config.rateLimit !== undefined && { config: { rateLimit: config.rateLimit } }),
  });
  return harness;
}

export function seconds(fromNow: number): number {
  return Math.floor(Date.now() / 1_000) + fromNow;
}

export function claims(more: JWTPayload = {}): JWTPayload {
  return {
    iss: issuer.issuer,
    aud: issuer.audience,
    sub: 'pairwise-1',
    oid: 'subject-1',
    preferred_username: 'ada@example.com',
    roles: ['viewer'],
    iat: seconds(0),
    nbf: seconds(0),
    exp: seconds(3_600),
    ...more,
  };
}

export async function get(token: string | null, url = '/me') {
  const response = await harness.app.inject({
    url,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.json() as object,
  };
}
