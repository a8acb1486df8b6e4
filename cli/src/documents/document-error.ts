/** An error of a template, its data or LibreOffice, found without a server. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
  /** As the packages that found it name it, such as `unbalanced_block` or `office_missing`. */
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
