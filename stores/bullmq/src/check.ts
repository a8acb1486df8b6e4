import { type ConnectOptions, connect } from './connect.ts';

export type RedisAnswer =
  | { readonly version: string; readonly warnings: readonly string[] }
  | { readonly why: string };

/** Streams that are trimmed, and numbers in the arguments of a range, as our scripts use them. */
const OLDEST = [6, 2] as const;

/** Whether the server at the address can keep jobs, without writing to it. */
export async function checkRedis(options: ConnectOptions): Promise<RedisAnswer> {
  try {
    const client = await connect(options);
    try {
      const info = await client.info();
      return answerOf(info);
    } finally {
      client.disconnect();
    }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

function answerOf(info: string): RedisAnswer {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const version = field('redis_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor))
    return { why: `Redis ${version} is too old: ${OLDEST.join('.')} or newer is needed.` };
  if (field('role') === 'slave') return { why: 'It is a replica, which takes no writes.' };
  const policy = field('maxmemory_policy');
  if (field('maxmemory') !== '0' && policy !== 'noeviction')
    return {
      why: `Its maxmemory-policy is ${policy}: it would throw jobs away. Set it to noeviction.`,
    };
  const isKept = field('aof_enabled') === '1';
  return {
    version,
    warnings: isKept
      ? []
      : ['It has no append-only file: a crash loses what it had since its last snapshot.'],
  };
}
