import { z } from 'zod';

/**
 * Where the files of reports are: a folder, the database of the queue, or object storage. Each execution writes a file of its own, so that one that
 * lost its lease and does not know it yet writes into nothing that another reads. An execution that goes on checks the bytes of those
 * before it, up to the place that its cursor names, by their hash; in a folder and in the database they stay where they are, on object storage they are
 * copied (docs/decisions/0028).
 */
export interface Outputs {
  /** Throws `LostOutput`: begin again with `at: null`, and say so. Otherwise a `JobFailure`. */
  open(params: OpenParams): Promise<Output>;
  /** Throws a `FileError` before the first byte where the file is not what it was, and in the middle where storage breaks off. */
  read(file: FilePlace, range?: ByteRange, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** That it is gone already is no error. */
  remove(file: FilePlace): Promise<void>;
  /** Removes files, and uploads that are not complete, that nobody wants any more. */
  sweep(params: SweepParams): Promise<Swept>;
  /** Whether this server can read it, as far as that is known without looking: another server's folder is not here. */
  reaches(file: FilePlace): boolean;
  /** Throws a sentence unless files can be written. */
  check(): Promise<void>;
}

export interface OpenParams {
  readonly job: string;
  readonly epoch: number;
  /** From the cursor of an earlier execution; null: from the beginning. */
  readonly at: OutputPlace | null;
  readonly signal: AbortSignal;
}

/** One file while it is written. One call at a time; after one that threw, only `abandon`. */
export interface Output {
  /** The bytes may be kept until they are sent: do not change them. */
  write(bytes: Uint8Array): Promise<void>;
  /** Whether what was written since the last sync can be made safe now: on S3 only once it fills a part. */
  readonly canSync: boolean;
  /**
   * What was written survives a crash from now on, as the cursor knows it. The place must be saved before the next `sync` or `finish`, which
   * removes a copy that the earlier place stood for.
   */
  sync(): Promise<OutputPlace>;
  finish(): Promise<FinishedOutput>;
  /** Lets go of it. What a cursor may name stays. */
  abandon(): Promise<void>;
}

export interface FinishedOutput {
  readonly file: FilePlace;
  readonly bytes: number;
  /** Hexadecimal, of the whole file. */
  readonly sha256: string;
}

/** From `from` up to but without `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

export interface SweepParams {
  /**
   * Which of these are still wanted, by their names: those whose job has not ended, whatever its epoch (a file is made before a cursor
   * names it), and those that the result of a job names. It is asked after the files were listed.
   */
  readonly wanted: (files: readonly OutputName[]) => Promise<ReadonlySet<string>>;
  readonly now: number;
  readonly signal?: AbortSignal;
}

export interface OutputName {
  readonly name: string;
  readonly job: string;
  readonly epoch: number;
}

export interface Swept {
  readonly files: number;
  /** Uploads in parts that were never completed. */
  readonly uploads: number;
}

/** An execution that has not yet named its file has at least this long. */
export const SWEEP_AGE_MS = 60 * 60_000;

const size = z.number().int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Files of earlier executions, which have the first bytes of the whole. */
const before = z
  .array(z.strictObject({ name: z.string(), bytes: size }))
  .readonly()
  .optional();

/** How far a file is safe, as a cursor has it: some 300 bytes, however large the file is. */
export const outputPlaceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('local'), name: z.string(), bytes: size, sha256, before }),
  z.strictObject({ kind: z.literal('database'), name: z.string(), bytes: size, sha256, before }),
  z.strictObject({
    kind: z.literal('s3'),
    key: z.string(),
    uploadId: z.string(),
    bytes: size,
    sha256,
    /** How many parts these bytes are: numbers 1 to n. */
    parts: z.number().int().min(1),
    /** The hash over number, ETag and size of each: 10,000 ETags would be half a megabyte at every checkpoint. */
    etags: sha256,
  }),
]);
export type OutputPlace = z.output<typeof outputPlaceSchema>;
export type LocalPlace = Extract<OutputPlace, { kind: 'local' }>;
export type DatabasePlace = Extract<OutputPlace, { kind: 'database' }>;
export type S3Place = Extract<OutputPlace, { kind: 's3' }>;

/** A finished file, as a result has it. */
export const filePlaceSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('local'),
    name: z.string(),
    bytes: size,
    before,
    /** The id that lies in the folder; left out by versions before it was there. */
    folder: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('database'), name: z.string(), bytes: size, before }),
  z.strictObject({ kind: z.literal('s3'), key: z.string(), bytes: size, etag: z.string() }),
]);
export type FilePlace = z.output<typeof filePlaceSchema>;
export type LocalFile = Extract<FilePlace, { kind: 'local' }>;
export type DatabaseFile = Extract<FilePlace, { kind: 'database' }>;
export type S3File = Extract<FilePlace, { kind: 's3' }>;
