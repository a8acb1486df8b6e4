import type { Progress } from '@millrace/engine';
import type { ZodType } from 'zod';

/**
 * Work that a pipeline has a workload do: a query, a batch of documents, a report. The pipeline's own job begins it and looks
 * how far it is; what was begun is a thing of the workload's, known by its id, with pages and routes of its own.
 */
export interface Step {
  /** What a pipeline file says about it, once names of parameters and of other steps are replaced. */
  readonly input: ZodType;
  /** Members of the input that are texts of a language, such as SQL: a pipeline never puts a value into them. */
  readonly literal?: readonly string[];
  /** What `output` has once it is done, so that a misspelt name is refused when the file is read. */
  readonly outputs?: readonly string[];
  /** Begins it. The same key gives what was begun with it before, so that a worker lost in between begins nothing twice. */
  start(params: {
    readonly input: unknown;
    readonly who: Who;
    readonly key: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly id: string }>;
  /** `input`: as it was begun with. */
  look(id: string, who: Who, input: unknown): Promise<StepSight>;
  /** Nothing happens where it is over. */
  cancel(id: string, who: Who): Promise<void>;
  /**
   * Tries the parts of it again that failed or were cancelled. False: there are none, or what was begun is no longer what `input` asks
   * for, since a file was corrected meanwhile; so it is begun from the start.
   */
  retry?(id: string, who: Who, input: unknown): Promise<boolean>;
  /** Its rows, for a step that works on them; in an order that stays the same. */
  rows?(
    id: string,
    who: Who,
    signal: AbortSignal,
  ): AsyncIterable<Readonly<Record<string, unknown>>>;
  /** All of it as one file, for a step that hands it over. */
  file?(id: string, who: Who, signal: AbortSignal): Promise<StepFile>;
  /** Where it is in the API, such as `/runs/run-7`. */
  link?(id: string): string;
}

export interface StepFile {
  readonly name: string;
  readonly mediaType: string;
  read(): AsyncIterable<Uint8Array>;
}

/** On whose behalf: as their token said when the pipeline or report was submitted. */
export interface Who {
  readonly tenant: string;
  readonly submitter: string | null;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, readonly string[]>>;
  readonly correlationId: string;
}

export type StepSight =
  | { readonly state: 'running'; readonly progress: Progress | null }
  /** `output` is what conditions and later steps refer to, such as `rows` or `failed`. */
  | { readonly state: 'done'; readonly output: StepOutput }
  | {
      readonly state: 'failed';
      readonly error: { readonly code: string; readonly message: string };
    };

export type StepOutput = Readonly<Record<string, string | number | boolean | null>>;

/** The rows of something that an earlier step made: the name of the step's type, and the thing's id. */
export interface RowsOf {
  readonly step: string;
  readonly id: string;
}

/** A file that lies beside the pipeline's own, such as a template. */
export interface FileOf {
  readonly name: string;
  readonly sha256: string;
  read(): Promise<Uint8Array>;
}
