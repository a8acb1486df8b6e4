import type { StreamFilter } from '../streams/filter.ts';
import type { Frame } from '../streams/frames.ts';

/** The latest of something. A frame that has not changed stays the same object. */
export interface Board {
  /** A caller that comes while it is being read gets the same answer. */
  refresh(): Promise<void>;
  frames(filter: StreamFilter): readonly Frame[];
}
