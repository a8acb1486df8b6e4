import { useState } from 'react';
import { Choice, Field, TextInput } from '../../../ui/field.tsx';
import { PLAIN_PDF, type PdfChoice, pdfInWords, wrongWith } from './pdf-choice.ts';

/** Rarely used options: folded, with the current choice in the summary line. */
export function PdfOptions({
  pdf,
  onPdf,
  password,
  onPassword,
}: {
  readonly pdf: PdfChoice;
  onPdf(pdf: PdfChoice): void;
  readonly password: string;
  onPassword(password: string): void;
}) {
  const [begunOpen] = useState(pdfInWords(pdf) !== pdfInWords(PLAIN_PDF));
  const wrong = wrongWith({ format: 'PDF', pdf }, password);
  const chosen = pdfInWords(pdf);
  return (
    <details open={begunOpen} className="col-span-full">
      <summary className="w-fit cursor-pointer rounded-token py-1 max-md:py-2">
        PDF options
        <span className="text-ink-3">{chosen === '' ? ': plain' : `: ${chosen}`}</span>
      </summary>
      <div className="grid grid-cols-2 gap-4 pt-3 max-md:grid-cols-1">
        <Field label="Archive" id="pdf-archive" hint="PDF/A carries its fonts and colours.">
          <Choice
            id="pdf-archive"
            value={pdf.archive}
            aria-describedby="pdf-archive-note"
            onChange={({ target }) =>
              onPdf({ ...pdf, archive: target.value as PdfChoice['archive'] })
            }
          >
            <option value="">No archive format</option>
            <option value="1b">PDF/A-1b</option>
            <option value="2b">PDF/A-2b</option>
            <option value="3b">PDF/A-3b</option>
          </Choice>
        </Field>
        <Field label="Watermark" id="pdf-watermark" hint="Large across every page.">
          <TextInput
            id="pdf-watermark"
            value={pdf.watermark}
            maxLength={200}
            aria-describedby="pdf-watermark-note"
            onChange={({ target }) => onPdf({ ...pdf, watermark: target.value })}
          />
        </Field>
        <Field
          label="Pages"
          id="pdf-pages"
          wrong={wrong.pages}
          hint="Such as 1-3 or 1,4-5. Empty: all."
        >
          <TextInput
            id="pdf-pages"
            value={pdf.pages}
            aria-invalid={wrong.pages !== null}
            aria-describedby="pdf-pages-note"
            onChange={({ target }) => onPdf({ ...pdf, pages: target.value })}
          />
        </Field>
        <div className="flex flex-col gap-1 pt-4 max-md:pt-0">
          <Flag
            word="Tagged for screen readers (PDF/UA)"
            checked={pdf.accessible}
            onChange={(accessible) => onPdf({ ...pdf, accessible })}
          />
          <Flag
            word="Opens with a password only"
            checked={pdf.locked}
            onChange={(locked) => onPdf({ ...pdf, locked })}
          />
        </div>
        {pdf.locked && (
          <Field
            label="Password of the PDFs"
            id="pdf-password"
            wrong={wrong.password}
            hint="The same for all. It is not saved: note it."
          >
            <TextInput
              id="pdf-password"
              type="password"
              autoComplete="new-password"
              value={password}
              maxLength={200}
              aria-invalid={wrong.password !== null}
              aria-describedby="pdf-password-note"
              onChange={({ target }) => onPassword(target.value)}
            />
          </Field>
        )}
      </div>
    </details>
  );
}

function Flag({
  word,
  checked,
  onChange,
}: {
  readonly word: string;
  readonly checked: boolean;
  onChange(checked: boolean): void;
}) {
  return (
    <label className="flex min-h-6 items-center gap-2 max-md:min-h-9">
      <input
        type="checkbox"
        className="size-3.75 accent-brand"
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
      {word}
    </label>
  );
}
