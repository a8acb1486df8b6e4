import { json, openSite } from '@millrace/simulator-kit';
import type { IdentityFaults } from './faults.ts';
import { audienceOf, issuerOf } from './claims.ts';
import { createIssuer } from './issuer.ts';
import { type PrivateJwk, createKeyRing } from './keys.ts';
import { type IdentityOptions, settle } from './options.ts';
import { messagePage } from './pages.ts';
import type { Requests } from './inside.ts';
import { createService } from './service.ts';

export interface Identity {
  /** The discovery document is below it, and tokens of version 2 name it. */
  readonly issuer: string;
  /** The value of `iss` in access tokens. */
  readonly tokenIssuer: string;
  /** The value of `aud` in access tokens for `scope`. */
  readonly audience: string;
  /** The scope to ask for: all that a person or an app may do at the API. */
  readonly scope: string;
  readonly jwksUri: string;
  readonly origin: string;
  /** A link that signs a user in with the browser that opens it, then leads to an address of this machine. */
  entrance(username: string, to: string): string;
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
  readonly faults: IdentityFaults;
  /** Counted by endpoint, always up to date. */
  readonly requests: Readonly<Requests>;
  close(): Promise<void>;
}

/** Slow senders are cut off after this long. */
const REQUEST_MS = 10_000;
/** A form that is too long is read to its end, so that its sender hears why. This far, and then it is cut off. */
const LONGEST_BODY = 1_048_576;

export async function startIdentity(options: IdentityOptions = {}): Promise<Identity> {
  const settings = settle(options);
  const keys = await createKeyRing(options.keys);
  const site = await openSite({
    place: settings,
    requestMs: REQUEST_MS,
    longestBody: LONGEST_BODY,
    misdirected: messagePage(421, 'Wrong address', 'This issuer answers to its own name only.'),
    mistake: json(500, {
      error: 'server_error',
      error_description: 'Something went wrong here. The log of the process says what.',
    }),
  });
  const issuer = createIssuer(settings, site.origin, keys);
  const { requests, serve } = createService(issuer);
  site.serve(serve);

  const { api } = settings;
  const { add, remove, clear, list } = issuer.faults;
  return {
    issuer: issuer.url,
    tokenIssuer: issuerOf(settings, site.origin, api.tokenVersion),
    audience: audienceOf(api, api.appIdUri),
    scope: `${api.appIdUri}/.default`,
    jwksUri: site.origin + issuer.paths.jwks,
    origin: site.origin,
    entrance(username, to) {
      const query = new URLSearchParams({ user: username, ticket: issuer.entrance, to });
      return `${site.origin}${issuer.paths.enter}?${query.toString()}`;
    },
    rotateKeys: keys.rotate,
    retireKeys: async () => keys.retire(),
    exportKeys: async () => keys.export(),
    sign: (claims, header) => issuer.tokens.sign(claims, header?.kid),
    faults: { add, remove, clear, list },
    requests,
    async close() {
      clear(); // lets go of what a fault holds
      await site.close();
    },
  };
}
