import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fault } from './faults.ts';
import { createIssuer } from './issuer.ts';
import { type PrivateJwk, createKeyRing } from './keys.ts';
import { inUrl } from './loopback.ts';
import { type IdentityOptions, settle } from './options.ts';
import { type Requests, createService } from './service.ts';

export interface Identity {
  /** The value of `iss`; the discovery document is below it. */
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUri: string;
  readonly origin: string;
  /** A new signing key; the old public key stays in the JWKS until `retireKeys`. */
  rotateKeys(): Promise<void>;
  /** The JWKS keeps only the signing key. */
  retireKeys(): Promise<void>;
  /** Secrets, the signing key first: for the option `keys` of the next start. */
  exportKeys(): Promise<PrivateJwk[]>;
  /**
   * A token signed by this issuer, for tests of verifiers: valid for the audience unless `claims`
   * says otherwise (`undefined` takes a claim away). A `kid` of the JWKS signs with that key; any other
   * is only put in the header.
   */
  sign(claims: Record<string, unknown>, header?: { readonly kid?: string }): Promise<string>;
  readonly faults: { set(fault: Fault): void };
  /** Counted by endpoint, always up to date. */
  readonly requests: Readonly<Requests>;
  close(): Promise<void>;
}

/** Slow senders are cut off after this long. */
const REQUEST_MS = 10_000;

export async function startIdentity(options: IdentityOptions = {}): Promise<Identity> {
  const settings = settle(options);
  const keys = await createKeyRing(options.keys);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(settings.port, settings.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const { origin } = new URL(`http://${inUrl(settings.host)}:${port}`); // as browsers spell it
  const issuer = createIssuer(settings, origin, keys);
  const { requests, serve } = createService(issuer);
  server.on('request', (request, response) => void serve(request, response));

  return {
    issuer: issuer.url,
    audience: settings.audience,
    jwksUri: origin + issuer.paths.jwks,
    origin,
    rotateKeys: keys.rotate,
    retireKeys: async () => keys.retire(),
    exportKeys: async () => keys.export(),
    sign: (claims, header) => issuer.tokens.sign(claims, header?.kid),
    faults: { set: issuer.faults.set },
    requests,
    async close() {
      issuer.faults.set('none'); // lets go of what a fault holds
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
