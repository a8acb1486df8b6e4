import { randomBytes } from 'node:crypto';
import { environment as known } from './config/environment.ts';
import { mayBeSandbox } from './config/identity.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A simulated Marketing Cloud on this machine, and the settings that lead to it. */
export interface SandboxMarketingCloud {
  readonly environment: Environment;
  /** Where people look inside; null: there is none. */
  readonly page: string | null;
  close(): Promise<void>;
}

const MIDS = ['100001', '100002'];
const CLIENT_ID = 'millrace-sandbox';
/** Long enough to see a query wait and run, short enough to wait for it. */
const QUEUE_MS = 500;
const RUN_MS = 1500;

/**
 * Where no account is configured, and the process is a sandbox in everything else. It lives as long as the process, whatever is
 * started again in it; its data does not outlive it.
 */
export async function withSandboxMarketingCloud(
  given: Environment,
): Promise<SandboxMarketingCloud> {
  return isWanted(given, Object.keys(known.shape))
    ? startSandboxMarketingCloud(given)
    : { environment: given, page: null, close: async () => {} };
}

export async function startSandboxMarketingCloud(
  given: Environment,
): Promise<SandboxMarketingCloud> {
  const { startLazily } = await import('@millrace/simulator-marketing-cloud/lazy');
  const secret = randomBytes(24).toString('base64url');
  const { origin, close } = await startLazily({
    clients: [{ clientId: CLIENT_ID, secret }],
    units: MIDS,
    queueMs: QUEUE_MS,
    runMs: RUN_MS,
    installDuckdb: true,
    log: (line) => console.log(line),
  });
  return {
    close,
    page: `${origin}/_sim/`,
    environment: {
      ...given,
      MCE_AUTH_URL: origin,
      MCE_CLIENT_ID: CLIENT_ID,
      MCE_CLIENT_SECRET: secret,
      MCE_MIDS: MIDS.join(','),
    },
  };
}

/** Several processes would each have one of their own, and none would find what another one made. */
export function isWanted(given: Environment, settings: readonly string[]): boolean {
  const set = (name: string): string => given[name]?.trim() ?? '';
  return (
    settings.includes('MCE_AUTH_URL') &&
    !Object.keys(given).some((name) => name.startsWith('MCE_') && set(name) !== '') &&
    mayBeSandbox(set('NODE_ENV')) &&
    set('ISSUER') === '' &&
    set('MILLRACE_QUERIES') !== 'false' &&
    ['', 'all'].includes(set('MILLRACE_ROLE'))
  );
}
