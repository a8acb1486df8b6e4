import type { Hint, JobId, JsonText } from '@millrace/engine';

/** What a process tells the others for the people who watch. */
export type Announcement =
  /** Jobs that are not as they were. `mark` is unique, and names the place in the order of all announcements. */
  | {
      readonly type: 'changed';
      readonly mark: string;
      readonly jobs: readonly JobId[];
      /** There were others: too many to name. */
      readonly more: boolean;
    }
  /** Someone watches: report what changes. */
  | { readonly type: 'interest' };

/** Everything that travels over the one channel of the database. */
export type Message = Hint | Announcement;

export interface Announcements {
  /** To every process that listens, this one too, in the same order for all. */
  announce(params: { announcement: Announcement }): Promise<void>;
  listen(listener: (announcement: Announcement) => void): () => void;
  /** False where a pooler swallows notifications: what other processes announce is not heard here. */
  arrive(): boolean;
}

/** Whose a name is. */
export interface Names {
  /**
   * The name of a subject: the one that it came with first. Null where another subject had that name before.
   */
  take(params: { readonly name: string; readonly subject: string }): Promise<string | null>;
}

/** An action of a person, or of a program with a token. */
export interface AuditEntry {
  /** Who, by name. */
  readonly actor: string;
  /** Who, by what stays the same when the name changes; null where nobody had to sign in, and in entries of old. */
  readonly subject: string | null;
  /** Whose things it is about; null: of nobody in particular, and in entries of old also all. */
  readonly tenants: readonly string[] | 'all' | null;
  /** What: the name of the route. */
  readonly action: string;
  /** On which job, kind or worker; null where a filter says it. */
  readonly target: string | null;
  readonly filter: JsonText | null;
  readonly correlationId: string;
}

export interface AuditEnd {
  readonly outcome: 'done' | 'refused';
  /** How many jobs it changed, where it is about jobs. */
  readonly count: number | null;
  /** Whose things it was about, where that was not known before; left out, it is as the entry said. */
  readonly tenants?: readonly string[] | 'all';
}

export interface AuditRecord extends AuditEntry {
  readonly id: string;
  readonly at: number;
  readonly outcome: 'started' | AuditEnd['outcome'];
  readonly count: number | null;
}

export interface AuditParams {
  readonly filter: {
    readonly actor?: string;
    readonly action?: string;
    readonly target?: string;
    /** None of these. */
    readonly exceptActions?: readonly string[];
    /** Only what is about things of these tenants, or of all. */
    readonly tenants?: readonly string[];
    /** From this moment on … */
    readonly after?: number;
    /** … up to but without this one. */
    readonly before?: number;
  };
  readonly limit: number;
  readonly cursor?: string;
}

export interface AuditLog {
  /** What someone is about to do, before it is done: nothing happens without a trace. Gives the entry's id. */
  begin(params: { entry: AuditEntry }): Promise<string>;
  /** What was read, in one write. */
  note(params: { entry: AuditEntry; outcome: AuditEnd['outcome'] }): Promise<void>;
  /** How it ended. An entry without an end is one whose process went away in between. */
  end(params: { id: string; end: AuditEnd }): Promise<void>;
  /** Newest first. */
  list(params: AuditParams): Promise<{ entries: AuditRecord[]; next: string | null }>;
}
