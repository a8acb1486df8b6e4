type TagErrorCode = 'bad_tag' | 'unknown_helper' | 'tag_in_field_code';

export class TagSyntaxError extends Error {
  override readonly name = 'TagSyntaxError';
  readonly code: TagErrorCode;
  constructor(message: string, code: TagErrorCode = 'bad_tag') {
    super(message);
    this.code = code;
  }
}
