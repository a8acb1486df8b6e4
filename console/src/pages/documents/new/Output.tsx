import { wrongName } from '../../../data/saved.ts';
import { Choice, Field, TextInput } from '../../../ui/field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { LOCALES } from '../locales.ts';
import type { PdfChoice } from './pdf-choice.ts';
import { PdfOptions } from './PdfOptions.tsx';

export interface OutputChoice {
  readonly name: string;
  readonly locale: string;
  readonly format: 'PDF' | 'DOCX';
  /** How rows with missing values are handled. */
  readonly gaps: 'hold' | 'make';
  readonly pdf: PdfChoice;
}

/** Names and output: what people rarely change stands below what they always do. */
export function Output({
  output,
  onOutput,
  password,
  onPassword,
  dataLocale,
  onDataLocale,
  saveAs,
  onSaveAs,
  fields,
}: {
  readonly output: OutputChoice;
  onOutput(output: OutputChoice): void;
  readonly password: string;
  onPassword(password: string): void;
  readonly dataLocale: string;
  onDataLocale(locale: string): void;
  /** The name that it is saved under, to do it again; empty: it is not saved. */
  readonly saveAs: string;
  onSaveAs(name: string): void;
  readonly fields: readonly string[];
}) {
  return (
    <section>
      <h2 className="flex min-h-8.5 items-center border-b border-line bg-well px-6 max-md:px-4">
        Names and output
      </h2>
      <div className="grid grid-cols-2 gap-4 px-6 py-4 max-md:grid-cols-1 max-md:px-4">
        <Field
          label="File names"
          id="output-name"
          hint={`May contain fields, such as {{${fields[0] ?? 'Name'}}}; {{@number}} is the row number.`}
        >
          <TextInput
            id="output-name"
            value={output.name}
            aria-describedby="output-name-note"
            onChange={(event) => onOutput({ ...output, name: event.target.value })}
          />
        </Field>
        <Locale
          id="data-locale"
          label="Language of the spreadsheet"
          value={dataLocale}
          onChange={onDataLocale}
        />
        <Locale
          id="output-locale"
          label="Language of the documents"
          value={output.locale}
          onChange={(locale) => onOutput({ ...output, locale })}
        />
        <Field
          label="Save as"
          id="save-as"
          wrong={saveAs === '' ? null : wrongName(saveAs)}
          hint="To repeat it with another spreadsheet. Leave empty to not save it."
        >
          <TextInput
            id="save-as"
            value={saveAs}
            aria-describedby="save-as-note"
            onChange={(event) => onSaveAs(event.target.value)}
          />
        </Field>
        <div className="flex flex-wrap items-end gap-4">
          <Segmented
            label="Format"
            value={output.format}
            options={[
              { value: 'PDF', word: 'PDF' },
              { value: 'DOCX', word: 'DOCX' },
            ]}
            onChange={(format) => onOutput({ ...output, format })}
          />
          <Segmented
            label="Rows with missing values"
            value={output.gaps}
            options={[
              { value: 'hold', word: 'Fail them' },
              { value: 'make', word: 'Generate them anyway' },
            ]}
            onChange={(gaps) => onOutput({ ...output, gaps })}
          />
        </div>
        {output.format === 'PDF' && (
          <PdfOptions
            pdf={output.pdf}
            onPdf={(pdf) => onOutput({ ...output, pdf })}
            password={password}
            onPassword={onPassword}
          />
        )}
      </div>
    </section>
  );
}

function Locale({
  id,
  label,
  value,
  onChange,
}: {
  id: string;
  label: string;
  value: string;
  onChange(value: string): void;
}) {
  return (
    <Field label={label} id={id}>
      <Choice id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {LOCALES.map((locale) => (
          <option key={locale.value} value={locale.value}>
            {locale.word}
          </option>
        ))}
      </Choice>
    </Field>
  );
}
