import { createHash } from 'node:crypto';
import { StoreUnavailable } from '@millrace/engine';
import type { Cluster, Redis } from 'ioredis';
import { storeError } from './errors.ts';
import { BASE } from './lua/base.ts';

export interface Script {
  readonly lua: string;
  readonly sha: string;
}

/** A script of the shared parts that it needs and its own lines. */
export function script(...parts: readonly string[]): Script {
  const lua = [BASE, ...parts].join('\n');
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

/** What a script answers. The caller knows the shape: it is written beside the script. */
export type Reply = string | number | null | Reply[];

export interface Context {
  readonly client: Redis | Cluster;
  /** `{name}`, which every key begins with. */
  readonly prefix: string;
  run(script: Script, ...args: readonly (string | number)[]): Promise<Reply>;
  /** Waits until as many replicas as somebody asked for have what was written. */
  confirm(): Promise<void>;
}

/** A replica that keeps up has a write within a millisecond. */
const CONFIRM_WITHIN_MS = 1_000;

export function createContext(
  client: Redis | Cluster,
  { prefix, replicas }: { readonly prefix: string; readonly replicas: number },
): Context {
  return {
    client,
    prefix,
    async run({ lua, sha }, ...args) {
      try {
        // Read by its hash; a server that was restarted, flushed or changed does not know it yet.
        const reply = await client
          .evalsha(sha, 1, prefix, ...args)
          .catch((error: unknown) =>
            isUnknownScript(error) ? client.eval(lua, 1, prefix, ...args) : Promise.reject(error),
          );
        return reply as Reply;
      } catch (error) {
        throw storeError(error);
      }
    },
    async confirm() {
      if (replicas === 0) return;
      const have = await client.wait(replicas, CONFIRM_WITHIN_MS).catch((error: unknown) => {
        throw storeError(error);
      });
      if (have < replicas)
        throw new StoreUnavailable(
          `It was written, but ${have} of ${replicas} replicas have it: a fail-over might lose it.`,
        );
    },
  };
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

/** A script answers a list of texts and numbers in places where it can answer nothing else. */
export function list(reply: Reply | undefined): Reply[] {
  return Array.isArray(reply) ? reply : [];
}

export function textOf(reply: Reply | undefined): string | null {
  return typeof reply === 'string' ? reply : null;
}

/** In parts that block Redis for a few milliseconds at the most: about 30 µs for each job. */
export function partsOf<T>(items: readonly T[], size = 100): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size));
  return parts;
}
