import { isLoopbackHost } from '../webhook/address.ts';
import type { Environment } from './environment.ts';

/** How people and programs show who they are. */
export type IdentityConfig =
  | {
      readonly mode: 'issuer';
      readonly issuers: readonly string[];
      readonly audiences: readonly string[];
      readonly jwksUri: string;
      readonly clientId: string | null;
    }
  /** An issuer of our own, on this machine alone. */
  | { readonly mode: 'sandbox' }
  | { readonly mode: 'bypass' };

export function identityOf(values: Environment): IdentityConfig {
  const { ISSUER: issuers, AUDIENCE: audiences, JWKS_URI: jwksUri } = values;
  if (issuers !== undefined && audiences !== undefined && jwksUri !== undefined) {
    const clientId = values.MILLRACE_CLIENT_ID ?? null;
    return { mode: 'issuer', issuers, audiences, jwksUri, clientId };
  }
  return { mode: values.AUTH_BYPASS_DEVELOPMENT ? 'bypass' : 'sandbox' };
}

/**
 * Where the sandbox may be: an issuer whose keys are in a file, a simulated org. A word that is not known (prod, staging) is not
 * taken for development. Undefined and empty: NODE_ENV is not set.
 */
export function mayBeSandbox(nodeEnv: string | undefined): boolean {
  return ['', 'development', 'test'].includes(nodeEnv ?? '');
}

/** Checks across several settings. `given`: the environment without defaults. */
export function identityContradictions(
  values: Environment,
  given: Readonly<Record<string, string | undefined>>,
): string[] {
  const names = ['ISSUER', 'AUDIENCE', 'JWKS_URI'] as const;
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length > 0 && missing.length < names.length) {
    return missing.map((name) => `${name}: is missing. ${names.join(', ')} go together.`);
  }
  const replaced = placeholders(values);
  const problems = replaced.length > 0 ? replaced : issuersThatNobodyIs(values);
  if (values.AUTH_BYPASS_DEVELOPMENT && missing.length === 0) {
    problems.push('AUTH_BYPASS_DEVELOPMENT: contradicts ISSUER. Leave one of them out.');
  } else if (values.AUTH_BYPASS_DEVELOPMENT && given['NODE_ENV'] !== 'development') {
    problems.push('AUTH_BYPASS_DEVELOPMENT: works only with NODE_ENV=development beside it.');
  }
  if (missing.length === 0) return problems;
  if (!mayBeSandbox(values.NODE_ENV)) {
    problems.push(
      `ISSUER, AUDIENCE, JWKS_URI: NODE_ENV=${values.NODE_ENV} needs them, to authenticate callers. The sandbox is for development and test.`,
    );
  } else if (!isLoopbackHost(values.HOST)) {
    problems.push(
      `HOST: "${values.HOST}" can be reached from other machines, so ISSUER, AUDIENCE and JWKS_URI are needed to authenticate callers. Without them, use 127.0.0.1.`,
    );
  }
  return problems;
}

const GUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The issuers that Entra ID writes into tokens of either version, by host. */
const ENTRA: Readonly<Record<string, { readonly form: RegExp; readonly such: string }>> = {
  'login.microsoftonline.com': {
    form: new RegExp(`^/${GUID}/v2\\.0$`),
    such: 'https://login.microsoftonline.com/GUID/v2.0',
  },
  'sts.windows.net': { form: new RegExp(`^/${GUID}/$`), such: 'https://sts.windows.net/GUID/' },
};

/** The name of a tenant, `common`, a slash too many or too few: such an issuer is in no token, and everybody would be refused. */
function issuersThatNobodyIs({ ISSUER: issuers = [] }: Environment): string[] {
  return issuers.flatMap((issuer) => {
    const { hostname, pathname } = new URL(issuer);
    const entra = ENTRA[hostname];
    return entra === undefined || entra.form.test(pathname)
      ? []
      : `ISSUER: no token of Entra ID names "${issuer}". Write ${entra.such}, with the GUID of the tenant in small letters (docs/identity.md).`;
  });
}

/**
 * Words of our guide that stand for one's own. Kept as they are they refuse every token, and Entra ID answers for a
 * tenant of that name: nobody would learn why.
 */
const PLACEHOLDER = /(?<=^|\/)(TENANT|CLIENT-ID|PUBLIC-CLIENT-ID)(?=$|\/)/;

function placeholders(values: Environment): string[] {
  const names = ['ISSUER', 'AUDIENCE', 'JWKS_URI', 'MILLRACE_CLIENT_ID'] as const;
  return names.flatMap((name) => {
    const given = [values[name] ?? []].flat();
    const [word] = given.flatMap((each) => PLACEHOLDER.exec(each)?.[0] ?? []);
    return word === undefined
      ? []
      : `${name}: "${word}" stands for your own. Write the GUID in its place (docs/identity.md).`;
  });
}
