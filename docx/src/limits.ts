/** The limits of a template and its merge. Each can be raised or lowered by the caller. */
export interface Limits {
  /** Files in the zip. Word writes 15 to 60. */
  readonly entries: number;
  /** All files of the zip together, inflated. */
  readonly inflatedBytes: number;
  /** All XML parts together, inflated: they are held as tokens, about ten times their size, while compiling. */
  readonly xmlBytes: number;
  /**
   * Tags and texts of all XML parts together. Of 1,900 files of other projects the largest has 626,000 and the next
   * 113,000; a million empty paragraphs take 1.3 GB while compiling.
   */
  readonly tokens: number;
  /** Elements within elements. Word writes about 40 for a text box in a nested table. */
  readonly depth: number;
  /** Tags in one part. */
  readonly tags: number;
  /** Blocks within blocks. */
  readonly blockDepth: number;
  /** Turns of all loops of one merge together. */
  readonly iterations: number;
  /** XML written by one merge, before compression, and its images. */
  readonly outputBytes: number;
  /** One image. */
  readonly imageBytes: number;
  /** Characters of one value. */
  readonly valueLength: number;
}

export const DEFAULT_LIMITS: Limits = {
  entries: 2_000,
  inflatedBytes: 200_000_000,
  xmlBytes: 30_000_000,
  tokens: 1_000_000,
  depth: 200,
  tags: 20_000,
  blockDepth: 30,
  iterations: 500_000,
  outputBytes: 200_000_000,
  imageBytes: 20_000_000,
  valueLength: 5_000_000,
};
