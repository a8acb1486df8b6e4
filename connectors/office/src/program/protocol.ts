import type { Account } from '../sandbox/account.ts';
import type { Reach } from '../sandbox/landlock.ts';
import type { Looked } from './look.ts';

/**
 * The messages between the pool and a child. Documents travel as files in the process's private folder: LibreOffice
 * wants file URLs anyway, and it costs the same (30 KB there and 100 KB back: 0.8 ms by files, 0.9 ms through the
 * pipe between the processes).
 */

/** In the folder that all processes may read: which characters the fonts have. */
export const COVERAGE = 'coverage';

/** Given to a child as its one argument, as JSON. */
export interface ChildSettings {
  readonly way: 'kit' | 'soffice';
  /** LibreOffice's program folder. */
  readonly program: string;
  readonly library: string | null;
  readonly soffice: string | null;
  /** Where this process may write: its profile, LibreOffice's own temporary files, the documents. */
  readonly folder: string;
  /** Shared by the processes, and read by them only: what is known about the fonts. */
  readonly cache: string;
  readonly memoryMb: number;
  /** The paths that it may read beside its folder. */
  readonly reach: Omit<Reach, 'write'>;
  /** Whom a child of root becomes. */
  readonly account: Account | null;
  /** The service's process id: a child whose parent is another one by now is an orphan, and ends. */
  readonly parent: number;
  /** Null until the child has run itself again, under what then holds for all of its threads. */
  readonly confined: Confined | null;
}

export interface Confined {
  readonly namespace: boolean;
  readonly landlock: boolean;
}

export type Task =
  | {
      readonly type: 'pdf';
      readonly input: string;
      readonly output: string;
      readonly filter: string;
      /** Opens the PDF. Through the pipe and never as an argument: everybody on the machine can list those. */
      readonly password: string | null;
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
  /** The means that keep the process off the network; empty when there are none. */
  readonly network: readonly ('filter' | 'namespace')[];
  /** The means that keep the process from the disk: a list of what it may read, and a user who owns nothing. */
  readonly disk: readonly ('landlock' | 'account')[];
}

export type Answer =
  | Hello
  | { readonly type: 'unavailable'; readonly reason: string }
  | ({
      readonly type: 'done';
      readonly loadMs: number;
      readonly saveMs: number;
    } & Pick<Looked, 'missing' | 'printsName'>)
  | {
      readonly type: 'failed';
      readonly code: 'conversion_failed' | 'unsupported_option';
      readonly reason: string;
    };
