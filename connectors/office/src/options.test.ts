import { expect, test } from 'vitest';
import { filterOptions, refuseWithoutEncryption } from './options.ts';

const version = { major: 7, minor: 4 };
const unsupported = (message: string) =>
  expect.objectContaining({
    code: 'unsupported_option',
    message: expect.stringContaining(message) as string,
  }) as Error;

const asSoffice = {
  Quality: { type: 'long', value: '90' },
  ExportNotes: { type: 'boolean', value: 'false' },
};

test('a plain PDF is one of soffice, as far as the version lets us', () => {
  expect(JSON.parse(filterOptions({}, version))).toEqual(asSoffice);
  expect(filterOptions({}, { major: 7, minor: 0 })).toBe('');
  expect(filterOptions({ pdfUa: false, watermark: '' }, { major: 7, minor: 0 })).toBe('');
});

test('options are JSON, so that no text of theirs can become another option', () => {
  const watermark = '"},"EncryptFile":{';
  expect(
    JSON.parse(filterOptions({ pdfA: '3b', pdfUa: true, watermark, pages: '1, 4-5' }, version)),
  ).toEqual({
    ...asSoffice,
    SelectPdfVersion: { type: 'long', value: '3' },
    PDFUACompliance: { type: 'boolean', value: 'true' },
    Watermark: { type: 'string', value: watermark },
    PageRange: { type: 'string', value: '1,4-5' },
  });
  // Encrypted afterwards: LibreOffice itself would do it with RC4.
  expect(JSON.parse(filterOptions({ password: 'p' }, version))).toEqual(asSoffice);
  expect(filterOptions({ password: 'p' }, { major: 7, minor: 0 })).toBe('');
});

test('what cannot be done is said', () => {
  const refuse =
    (options: object, v = version) =>
    () =>
      filterOptions(options, v);
  expect(refuse({ watermark: 'x' }, { major: 7, minor: 3 })).toThrow(unsupported('7.4 or later'));
  expect(refuse({ pdfA: '1b', password: 'x' })).toThrow(unsupported('PDF/A forbids a password'));
  expect(refuse({ pdfA: '4' })).toThrow(unsupported('PDF/A-4 is unknown'));
  expect(refuse({ pasword: 'x' })).toThrow(unsupported('no PDF option "pasword"'));
  expect(refuse({ password: '' })).toThrow(unsupported('must not be empty'));
  for (const pages of ['', 'all', '1-2-3', '1;2', '-3'])
    expect(refuse({ pages })).toThrow(unsupported('no range'));
});

test('a password without the package that encrypts is refused with the command that installs it', () => {
  const missing = () => {
    throw new Error("Cannot find module '@cantoo/pdf-lib'");
  };
  expect(() => refuseWithoutEncryption(missing)).toThrow(
    expect.objectContaining({
      code: 'encryption_missing',
      retryable: false,
      message: expect.stringMatching(/npm install @cantoo\/pdf-lib@\d+\.\d+\.\d+\.$/) as string,
    }) as Error,
  );
  expect(refuseWithoutEncryption).not.toThrow();
});
