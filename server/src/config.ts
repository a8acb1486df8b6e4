import type { PoolConfig } from '@millrace/engine';
import { type Environment, environment } from './environment.ts';
import { nearest } from '@millrace/api';
import { isLoopbackHost } from './webhook/address.ts';
import type { AllowedHost } from './webhook/url.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly dataFolder: string;
  readonly databaseUrl: string | null;
  readonly jobsFolder: string;
  /** Someone named the folder, so it has to be there. */
  readonly jobsFolderNamed: boolean;
  readonly role: 'all' | 'api' | 'worker';
  readonly pools: readonly PoolConfig[];
  readonly leaseMs: number;
  readonly shutdownGraceMs: number;
  readonly webhook: { readonly secret: Buffer | null; readonly allow: readonly AllowedHost[] };
  readonly logLevel: Environment['LOG_LEVEL'];
  readonly production: boolean;
  /** What must never be seen in a log line. */
  readonly secrets: readonly string[];
}

/** Everything that is wrong, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? 'a setting is' : `${problems.length} settings are`;
    super(
      `Millrace cannot start: ${count} wrong.\n${problems.map((line) => `  ${line}`).join('\n')}\nEvery setting is described in docs/configuration.md.`,
    );
    this.problems = problems;
  }
}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  // Compose files and shells give empty values to what was never set.
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = environment.safeParse(given);
  const problems = [
    ...unknownSettings(Object.keys(given)),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`),
    ...(parsed.success ? contradictions(parsed.data) : []),
  ];
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems);
  return configOf(parsed.data, given);
}

function configOf(
  values: Environment,
  given: Readonly<Record<string, string | undefined>>,
): Config {
  const databaseUrl = values.DATABASE_URL ?? null;
  return {
    host: values.HOST,
    port: values.PORT,
    dataFolder: values.MILLRACE_DATA,
    databaseUrl,
    jobsFolder: values.MILLRACE_JOBS,
    jobsFolderNamed: given['MILLRACE_JOBS'] !== undefined,
    role: values.MILLRACE_ROLE,
    pools: [
      {
        name: 'default',
        concurrency: values.MILLRACE_CONCURRENCY,
        batch: values.MILLRACE_BATCH,
        interval: { active: values.MILLRACE_POLL_ACTIVE, idle: values.MILLRACE_POLL_IDLE },
      },
      ...(values.MILLRACE_POOLS as readonly PoolConfig[]),
    ],
    leaseMs: values.MILLRACE_LEASE,
    shutdownGraceMs: values.MILLRACE_SHUTDOWN_GRACE,
    webhook: {
      secret: values.MILLRACE_WEBHOOK_SECRET ?? null,
      allow: values.MILLRACE_WEBHOOK_ALLOW,
    },
    logLevel: values.LOG_LEVEL,
    production: values.NODE_ENV === 'production',
    secrets: [given['MILLRACE_WEBHOOK_SECRET'], databaseUrl, ...passwordsOf(databaseUrl)].flatMap(
      (secret) => secret || [],
    ),
  };
}

/** What is wrong only together. */
function contradictions(values: Environment): string[] {
  const problems: string[] = [];
  if (!isLoopbackHost(values.HOST) && !values.MILLRACE_UNSAFE_OPEN) {
    problems.push(
      `HOST: "${values.HOST}" can be reached from other machines, and nobody is asked who they are. Use 127.0.0.1, or set MILLRACE_UNSAFE_OPEN=true if something else keeps strangers out.`,
    );
  }
  if (values.MILLRACE_ROLE !== 'all' && values.DATABASE_URL === undefined) {
    problems.push(
      `MILLRACE_ROLE: "${values.MILLRACE_ROLE}" needs DATABASE_URL, since the embedded database belongs to one process.`,
    );
  }
  const names = ['default', ...values.MILLRACE_POOLS.map(({ name }) => name)];
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    problems.push(`MILLRACE_POOLS: two pools are called "${name}".`);
  }
  return problems;
}

/** Where the command line finds a server. It may well be set in the shell that starts one. */
const OF_OTHERS = ['MILLRACE_URL'];

function unknownSettings(names: readonly string[]): string[] {
  const known = Object.keys(environment.shape);
  return names
    .filter((name) => name.startsWith('MILLRACE_'))
    .filter((name) => !known.includes(name) && !OF_OTHERS.includes(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `${name}: there is no such setting.${meant === null ? '' : ` Did you mean ${meant}?`}`;
    });
}

/** As it stands in the URL, and as drivers show it. */
function passwordsOf(url: string | null): string[] {
  const { password } = url === null ? { password: '' } : new URL(url);
  if (password === '') return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
