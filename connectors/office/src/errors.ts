/**
 * Everything the office refuses or fails with. `retryable` answers one question: could the same
 * document, asked for again later, come out well?
 */
const RETRYABLE = {
  /** LibreOffice was at it until the timeout: it would be again (where it had to wait for a processor, that one is retryable). */
  conversion_timeout: false,
  /** LibreOffice said no to this document, or could not be started (that one is retryable). */
  conversion_failed: false,
  /** No LibreOffice of version 7.0 or later on this machine. */
  office_missing: false,
  /** The package that encrypts PDFs is not installed. */
  encryption_missing: false,
  /** The document killed two processes, or took all memory of one: it is refused without a try until the list forgets it. */
  poisoned: false,
  /** The caller's signal, or the office was closed (that one is retryable). */
  canceled: false,
  /** This LibreOffice, or the PDF standard asked for, cannot do what an option asks. */
  unsupported_option: false,
  /** Not a DOCX by its content. */
  invalid_document: false,
} as const;

export type OfficeErrorCode = keyof typeof RETRYABLE;

export class OfficeError extends Error {
  override readonly name = 'OfficeError';
  readonly code: OfficeErrorCode;
  readonly retryable: boolean;

  constructor(code: OfficeErrorCode, message: string, retryable: boolean = RETRYABLE[code]) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}
