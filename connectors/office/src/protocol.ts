/**
 * What passes between the pool and a child. Documents travel as files in the process's private folder: LibreOffice
 * wants file URLs anyway, and it costs the same (30 KB there and 100 KB back: 0.8 ms by files, 0.9 ms through the
 * pipe between the processes).
 */

/** Given to a child as its one argument, as JSON. */
export interface ChildSettings {
  readonly way: 'kit' | 'soffice';
  /** LibreOffice's program folder. */
  readonly program: string;
  readonly library: string | null;
  readonly soffice: string | null;
  /** Where this process may write: its profile, LibreOffice's own temporary files, the documents. */
  readonly folder: string;
  readonly memoryMb: number;
  /** A child whose parent is another one by now is an orphan. */
  readonly parent: number;
}

export type Task =
  | {
      readonly type: 'pdf';
      readonly input: string;
      readonly output: string;
      readonly filter: string;
    }
  | {
      readonly type: 'png';
      readonly input: string;
      readonly output: string;
      readonly width: number;
    };

export interface Hello {
  readonly type: 'ready';
  readonly version: string | null;
  /** What keeps the process off the network; empty when nothing could. */
  readonly network: readonly ('filter' | 'namespace')[];
}

export type Answer =
  | Hello
  | { readonly type: 'unavailable'; readonly reason: string }
  | { readonly type: 'done'; readonly loadMs: number; readonly saveMs: number }
  | {
      readonly type: 'failed';
      readonly code: 'conversion_failed' | 'unsupported_option';
      readonly reason: string;
    };
