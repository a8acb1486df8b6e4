import type { Environment } from './environment.ts';

/** Where some kinds have their jobs. */
export interface RedisConfig {
  readonly url: string;
  readonly passwordFile: string | null;
  readonly prefix: string;
  readonly replicas: number;
  /** The user's own kinds; workloads choose for their own kinds. */
  readonly kinds: readonly string[];
}

type Values = Pick<
  Environment,
  'REDIS_URL' | 'REDIS_PASSWORD_FILE' | 'REDIS_PREFIX' | 'REDIS_REPLICAS' | 'REDIS_KINDS'
>;

export function redisOf(values: Values): RedisConfig | null {
  if (values.REDIS_URL === undefined) return null;
  return {
    url: values.REDIS_URL,
    passwordFile: values.REDIS_PASSWORD_FILE ?? null,
    prefix: values.REDIS_PREFIX,
    replicas: values.REDIS_REPLICAS,
    kinds: values.REDIS_KINDS,
  };
}

/** Checks across several settings. */
export function redisContradictions(values: Values): string[] {
  const { REDIS_URL: url, REDIS_PASSWORD_FILE: file, REDIS_KINDS: kinds } = values;
  const wrong: [boolean, string][] = [
    [
      url === undefined && file !== undefined,
      'REDIS_PASSWORD_FILE: is of the server of REDIS_URL, which is not set.',
    ],
    [
      url === undefined && kinds.length > 0,
      'REDIS_KINDS: is of the server of REDIS_URL, which is not set.',
    ],
    [
      url !== undefined && file !== undefined && new URL(url).password !== '',
      'REDIS_PASSWORD_FILE: REDIS_URL has a password too. Leave one of them out.',
    ],
  ];
  return wrong.filter(([isWrong]) => isWrong).map(([, problem]) => problem);
}
