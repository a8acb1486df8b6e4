import type { Live } from '@millrace/workload-kit';

/**
 * What changes among the things of workloads. They travel in the announcements of jobs, named `topic:id`, since the same
 * rules hold: gathered for 100 ms, sent to all processes in one order, and only while somebody watches somewhere.
 */
export interface Topics {
  readonly live: Live;
  /** How many listen here. */
  size(): number;
  /** The names of what has changed; null: notifications were missed, so anything may have. */
  heard(names: readonly string[] | null): void;
  /** The hub is there; until then nobody can be reached. */
  connect(line: Line): void;
}

export interface Line {
  /** Something has changed here. */
  touch(name: string): void;
  /** Somebody here has begun to listen: the other processes have to announce. */
  show(): void;
}

/** No store makes ids of jobs with a colon. */
const MARK = ':';

export function isJobId(name: string): boolean {
  return !name.includes(MARK);
}

export function nameOf(topic: string, id: string): string {
  return `${topic}${MARK}${id}`;
}

export function partsOf(name: string): { readonly topic: string; readonly id: string } {
  const end = name.indexOf(MARK);
  return { topic: name.slice(0, end), id: name.slice(end + 1) };
}

export function createTopics(): Topics {
  const listeners = new Set<{
    readonly topic: string;
    readonly listener: (ids: readonly string[] | null) => void;
  }>();
  let line: Line | null = null;

  return {
    live: {
      announce(topic, id) {
        line?.touch(nameOf(topic, id));
      },
      listen(topic, listener) {
        const entry = { topic, listener };
        listeners.add(entry);
        line?.show();
        return () => void listeners.delete(entry);
      },
    },
    size: () => listeners.size,
    heard(names) {
      for (const { topic, listener } of listeners) {
        const start = `${topic}${MARK}`;
        const own = names?.flatMap((name) =>
          name.startsWith(start) ? [name.slice(start.length)] : [],
        );
        if (own === undefined) listener(null);
        else if (own.length > 0) listener(own);
      }
    },
    connect(given) {
      line = given;
    },
  };
}
