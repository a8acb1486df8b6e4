import { MillraceError } from '@millrace/engine';
import { type SecretKey, createSecretBox } from '@millrace/workload-kit';
import type { PdfOptions } from './contract/envelope.ts';
import { DocumentError } from './errors.ts';

/** Passwords of PDFs that are not made yet. They are in the database with their job or batch, and nobody who reads it may learn them. */
export interface Passwords {
  /** Throws where there is no key: nothing is stored in the clear. */
  seal<T extends WithPdf>(given: T): T;
  open<T extends WithPdf>(kept: T): T;
}

interface WithPdf {
  readonly pdf?: PdfOptions | undefined;
}

const SEALED = 'sealed:';
const PURPOSE = 'password of a PDF';

export function createPasswords(keys: readonly SecretKey[]): Passwords {
  const box = createSecretBox({
    keys,
    setting: 'PDF_PASSWORD_KEYS',
    purpose: `millrace ${PURPOSE}`,
  });

  /** Null: it was not sealed here. */
  function opened(password: string): string | null {
    if (!password.startsWith(SEALED)) return null;
    return box.open(password.slice(SEALED.length), PURPOSE);
  }

  return {
    seal(given) {
      const password = given.pdf?.password;
      if (password === undefined) return given;
      if (!box.hasKey)
        throw new MillraceError(
          'invalid_payload',
          'pdf.password: it would be stored in the clear. Set PDF_PASSWORD_KEYS, or make the document with POST /generate, which stores no password.',
        );
      // Of a job that is tried again with its own data, as people see it.
      if (opened(password) !== null) return given;
      return { ...given, pdf: { ...given.pdf, password: SEALED + box.seal(password, PURPOSE) } };
    },
    open(kept) {
      const password = kept.pdf?.password;
      if (password === undefined) return kept;
      const own = opened(password);
      if (own === null)
        throw new DocumentError(
          'validation_error',
          'The password of the PDF cannot be read any more: its key is not in PDF_PASSWORD_KEYS. Request the document again.',
        );
      return { ...kept, pdf: { ...kept.pdf, password: own } };
    },
  };
}
