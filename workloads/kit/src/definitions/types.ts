/** Something that is wrong with a file of people's own, at the place where they would change it. */
export interface FileProblem {
  /** Its name in the folder. */
  readonly file: string;
  /** Counted from 1, as editors do. */
  readonly line: number;
  readonly column: number;
  /** A sentence that says what to write instead. */
  readonly message: string;
}

/** A file that is good. */
export interface Definition<Value> {
  /** The file's name without its ending. */
  readonly name: string;
  readonly file: string;
  readonly value: Value;
  /**
   * What the file says, as JSON in the order of the file: comments, quotes and indentation make no difference. Kept
   * with what was begun by it, since a file may change while its work waits.
   */
  readonly text: string;
  /** The SHA-256 of `text`, in hex. */
  readonly digest: string;
}

/** What is known of a file that has problems, or whose older version is in force because of them. */
export interface TroubledFile {
  readonly file: string;
  /** Null where the file's name is no name of a definition. */
  readonly name: string | null;
  /**
   * Which version is in force meanwhile: an older one that was good, or this one, where what it refers to has gone. Null:
   * none.
   */
  readonly inForce: 'older' | 'this' | null;
  readonly problems: readonly FileProblem[];
}

/** A folder as it stands: what is in force, and what is wrong. */
export interface Definitions<Value> {
  /** By name, in the order of names. */
  readonly inForce: ReadonlyMap<string, Definition<Value>>;
  readonly troubled: readonly TroubledFile[];
}

/** A value of a file by the keys and indices that lead to it: `['parameters', 'from', 'default']`. */
export type FilePath = readonly (string | number)[];

/** What is wrong with a value of a file, before anybody has looked where it stands. */
export interface Complaint {
  readonly path: FilePath;
  readonly message: string;
  /** The key is what is wrong, and not its value. */
  readonly atKey?: true;
  /** How far into the value, a text such as SQL, it is. */
  readonly within?: number;
}
