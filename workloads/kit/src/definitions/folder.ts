import type { Checked } from './check.ts';
import { type FoundFile, readFolder } from './read.ts';
import { type ReadFile, type Review, type Version, examine, settle } from './settle.ts';
import type { Definition, Definitions } from './types.ts';
import { watchFolder } from './watch.ts';

/** Files change a few times a day: one look each second and a half costs next to nothing, and nobody waits long. */
const LOOK_MS = 1_500;

/** A folder of definitions that people write, one in each file, as it is now. */
export interface DefinitionFolder<Value> {
  now(): Definitions<Value>;
  /** Reads the folder once. Files that are wrong are no reason to throw; a folder that is not there is an empty one. */
  load(): Promise<void>;
  /** Reads it again, and whenever a file changes from then on. */
  open(): Promise<void>;
  close(): Promise<void>;
  /** Called when what is in force, or what is wrong, has changed. Gives what ends it. */
  onChange(listener: (definitions: Definitions<Value>) => void): () => void;
  /** The version with this digest, if it was in force since the process began; of more than 1,000, one of the latest. */
  version(name: string, digest: string): Definition<Value> | null;
}

const VERSIONS_KEPT = 1_000;

export function definitionFolder<Value>(params: {
  readonly folder: string;
  /** A file by itself. */
  readonly check: (name: string, value: unknown) => Checked<Value>;
  /** All of them together. */
  readonly review?: Review<Value>;
  readonly lookEveryMs?: number;
}): DefinitionFolder<Value> {
  const { folder, check, review = () => [], lookEveryMs = LOOK_MS } = params;
  let current: Definitions<Value> = { inForce: new Map(), troubled: [] };
  let versions: ReadonlyMap<string, Version<Value>> = new Map();
  let read = new Map<string, { readonly text: string | null; readonly result: ReadFile<Value> }>();
  const known = new Map<string, Definition<Value>>();
  const listeners = new Set<(definitions: Definitions<Value>) => void>();
  let unwatch = () => {};
  let last: Promise<void> = Promise.resolve();

  /** Never throws: in a process that runs, a folder that cannot be read leaves in force what was read before. */
  async function readNow(): Promise<void> {
    try {
      const found = await readFolder(folder);
      read = new Map(found.map((each) => [each.file, { text: each.text, result: resultOf(each) }]));
      const results = [...read.values()].map(({ result }) => result);
      const settled = settle(versions, results, review);
      versions = settled.versions;
      become(settled.definitions);
    } catch (error) {
      become({ ...current, troubled: [unreadable(folder, error)] });
    }
  }

  /** A file that did not change keeps its version, and is not parsed again. */
  function resultOf(found: FoundFile): ReadFile<Value> {
    const before = read.get(found.file);
    return before !== undefined && found.text !== null && before.text === found.text
      ? before.result
      : examine(found, check);
  }

  function become(next: Definitions<Value>): void {
    const isSame = textOf(next) === textOf(current);
    current = next;
    for (const definition of next.inForce.values()) remember(definition);
    if (!isSame) for (const listener of listeners) listener(next);
  }

  function remember(definition: Definition<Value>): void {
    const key = `${definition.name} ${definition.digest}`;
    // The latest stay: what is in force was put in last.
    known.delete(key);
    known.set(key, definition);
    const [oldest] = known.keys();
    if (known.size > VERSIONS_KEPT && oldest !== undefined) known.delete(oldest);
  }

  /** One after the other: two readings at once could end in the wrong order. */
  function load(): Promise<void> {
    last = last.then(readNow);
    return last;
  }

  return {
    now: () => current,
    load,
    async open() {
      unwatch = await watchFolder(folder, () => void load(), lookEveryMs);
      await load();
    },
    async close() {
      unwatch();
      await last;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: (name, digest) => known.get(`${name} ${digest}`) ?? null,
  };
}

/** What a listener would want to know of. */
function textOf({ inForce, troubled }: Definitions<unknown>): string {
  return JSON.stringify([
    [...inForce.values()].map(({ name, digest }) => [name, digest]),
    troubled,
  ]);
}

function unreadable(folder: string, error: unknown) {
  const why = error instanceof Error ? error.message : String(error);
  const message = `The folder ${folder} cannot be read: ${why}. What was read before stays in force.`;
  return {
    file: '',
    name: null,
    inForce: null,
    problems: [{ file: '', line: 1, column: 1, message }],
  };
}
