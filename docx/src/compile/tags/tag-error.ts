type TagErrorCode = 'bad_tag' | 'unknown_helper' | 'tag_in_field_code';

export class TagSyntaxError extends Error {
  override readonly name = 'TagSyntaxError';
  readonly code: TagErrorCode;
  /** The message says what to write for this very tag: no other advice is better. */
  readonly isAdvice: boolean;
  constructor(message: string, code: TagErrorCode = 'bad_tag', isAdvice = false) {
    super(message);
    this.code = code;
    this.isAdvice = isAdvice;
  }
}
