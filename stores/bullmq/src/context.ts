import { createHash } from 'node:crypto';
import { StoreUnavailable } from '@millrace/engine';
import type { Cluster, Redis } from 'ioredis';
import { distrust } from './connect.ts';
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

/** The answer of a script. The caller knows the shape: it is written beside the script. */
export type Reply = string | number | null | Reply[];

export interface Context {
  run(script: Script, ...args: readonly (string | number)[]): Promise<Reply>;
  /** As `run`, for what `confirm` is asked about afterwards. */
  write(script: Script, ...args: readonly (string | number)[]): Promise<Reply>;
  /** Waits until as many replicas as somebody asked for have what was written. */
  confirm(): Promise<void>;
  /** Something that keeps the jobs of a kind from being run, and that a person has to see to. */
  onFault(error: Error): void;
}

export interface ContextOptions {
  readonly client: Redis | Cluster;
  /** `{name}`, which every key begins with. */
  readonly prefix: string;
  readonly onFault: (error: Error) => void;
  /** A connection of its own where replicas are asked: a WAIT holds up everything that is sent after it. */
  readonly confirmed: { readonly client: Redis | Cluster; readonly replicas: number } | null;
}

/** A replica that keeps up has a write within a millisecond. */
const CONFIRM_WITHIN_MS = 1_000;

export function createContext({ client, prefix, onFault, confirmed }: ContextOptions): Context {
  async function runOn(
    on: Redis | Cluster,
    { lua, sha }: Script,
    args: readonly (string | number)[],
  ): Promise<Reply> {
    try {
      // Read by its hash; a server that was restarted, flushed or changed does not know it yet.
      const reply = await on
        .evalsha(sha, 1, prefix, ...args)
        .catch((error: unknown) =>
          isUnknownScript(error) ? on.eval(lua, 1, prefix, ...args) : Promise.reject(error),
        );
      return reply as Reply;
    } catch (error) {
      distrust(on, error);
      throw storeError(error);
    }
  }
  return {
    onFault,
    run: (which, ...args) => runOn(client, which, args),
    write: (which, ...args) => runOn(confirmed?.client ?? client, which, args),
    confirm:
      confirmed === null ? async () => {} : createConfirm(confirmed.client, confirmed.replicas),
  };
}

/**
 * One WAIT at a time, which is for all that was written before it: 30 in a row without a replica took 30 s, and with them the
 * settlements of running jobs.
 */
function createConfirm(client: Redis | Cluster, replicas: number): () => Promise<void> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<number> | null = null;

  async function wait(): Promise<number> {
    await current.catch(() => {});
    const answer = client.wait(replicas, CONFIRM_WITHIN_MS);
    current = answer;
    next = null;
    return answer;
  }

  return async () => {
    next ??= wait();
    const have = await next.catch((error: unknown) => {
      distrust(client, error);
      throw storeError(error);
    });
    if (have < replicas)
      throw new StoreUnavailable(
        `It was written, but ${have} of ${replicas} replicas have it: a fail-over might lose it.`,
      );
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

const PART = 100;

/** In parts that block Redis for a few milliseconds at the most: 20 to 30 µs for each job. */
export function partsOf<T>(items: readonly T[], size = PART): T[][] {
  const parts: T[][] = [];
  for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size));
  return parts;
}

/** The characters that a script reads in about a millisecond. */
const PART_LENGTH = 1_000_000;

/** As `partsOf`, and no part longer than a megabyte, unless one item is. */
export function partsBySize<T>(items: readonly T[], sizeOf: (item: T) => number): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let length = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (part.length > 0 && (part.length === PART || length + size > PART_LENGTH)) {
      parts.push(part);
      part = [];
      length = 0;
    }
    part.push(item);
    length += size;
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** The same as JSON. */
export function jsonPartsOf(items: readonly unknown[]): string[] {
  const texts = items.map((item) => JSON.stringify(item));
  return partsBySize(texts, ({ length }) => length).map((part) => `[${part.join(',')}]`);
}
