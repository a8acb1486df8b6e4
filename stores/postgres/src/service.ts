import type { Hint, JobId, JsonText } from '@millrace/engine';

/** Announcements of a process to the others, for people who watch. */
export type Announcement =
  /** Jobs that are not as they were. */
  | {
      readonly type: 'changed';
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

/** Names of people, each of one subject. */
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
  /** The tenants it is about; null: nobody in particular, and in old entries also all. */
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
  /** The tenants it was about, where that was not known before; left out, it is as the entry said. */
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
  /** Writes down what someone is about to do, before it is done: nothing happens without a trace. Gives the entry's id. */
  begin(params: { entry: AuditEntry }): Promise<string>;
  /** Writes down what was read, in one write. */
  note(params: { entry: AuditEntry; outcome: AuditEnd['outcome'] }): Promise<void>;
  /** How it ended. An entry without an end is one whose process went away in between. */
  end(params: { id: string; end: AuditEnd }): Promise<void>;
  /** Newest first. */
  list(params: AuditParams): Promise<{ entries: AuditRecord[]; next: string | null }>;
  /** Forgets the oldest of what is older than this, so many at a time that nothing is locked for long. */
  prune(params: { keepMs: number }): Promise<{ count: number; more: boolean }>;
}

/** The owner of a saved thing: one person, within one tenant. There is no other way to ask for one. */
export interface SavedOf {
  /** The name, which belongs to one subject (`Names`). */
  readonly owner: string;
  readonly tenant: string;
  /** The sort of thing. */
  readonly what: string;
}

/** Something under a name. */
export interface Saved {
  readonly name: string;
  readonly value: JsonText;
  readonly updatedAt: number;
}

/** Things that people save for themselves, until they delete them. */
export interface SavedThings {
  /** By name. */
  list(of: SavedOf): Promise<Saved[]>;
  /** Takes the place of the one of this name. Null: there are too many already. */
  put(
    thing: SavedOf & Pick<Saved, 'name' | 'value'>,
  ): Promise<{ readonly saved: Saved; readonly created: boolean } | null>;
  /** False: there is none. */
  remove(thing: SavedOf & Pick<Saved, 'name'>): Promise<boolean>;
  /** Forgets all that somebody has saved, and what names them; gives how many. */
  erase(params: { readonly subject: string }): Promise<number>;
}

/** An action on many jobs as it was frozen. */
export interface NewBulk {
  readonly at: number;
  /** Where its job is, and whose it is. */
  readonly tenant: string;
  readonly submitter: string | null;
  /** The tenants whose jobs it is about; null: any. `owner`, where set: one person's jobs alone. */
  readonly tenants: readonly string[] | null;
  readonly owner: string | null;
  /** The request, and what was counted. */
  readonly asked: JsonText;
  readonly frozen: JsonText;
  /** Null: too many to name. */
  readonly ids: readonly JobId[] | null;
}

export interface Bulk extends NewBulk {
  readonly id: string;
  readonly job: JobId | null;
  readonly undoneBy: JobId | null;
  readonly result: JsonText | null;
}

/** Saved for seven days. */
export interface BulkLog {
  add(bulk: NewBulk): Promise<Bulk>;
  get(params: { id: string }): Promise<Bulk | null>;
  /** Newest first: those about jobs of these tenants and no others (null: all), of this submitter (null: of anybody). */
  list(params: {
    readonly limit: number;
    readonly cursor?: string;
    readonly tenants: readonly string[] | null;
    readonly submitter: string | null;
  }): Promise<{ bulk: Bulk[]; next: string | null }>;
  /** Names the job that does it. The first one counts, and stands in the answer. */
  start(params: { id: string; job: JobId }): Promise<Bulk | null>;
  /** The same for the one that undoes it. */
  undo(params: { id: string; job: JobId }): Promise<Bulk | null>;
  /** The counts so far. */
  tell(params: { id: string; result: JsonText }): Promise<void>;
  /** Before jobs are changed: what they were. */
  change(params: {
    readonly id: string;
    readonly changes: readonly { readonly id: JobId; readonly before: number | null }[];
  }): Promise<void>;
  /** These were not changed after all. */
  forget(params: { readonly id: string; readonly jobs: readonly JobId[] }): Promise<void>;
  changes(params: {
    readonly id: string;
    readonly after: JobId;
    readonly limit: number;
  }): Promise<{ id: JobId; before: number | null }[]>;
}
