import { likeness } from '../new/match.ts';
import { fixedWords } from '../pdf/find.ts';
import type { Mark } from '../pdf/Pdf.tsx';
import type { Lint } from '../types.ts';
import { missingIn, namesBeside } from './sample.ts';

export interface Shown {
  readonly number: number;
  readonly severity: 'error' | 'warning';
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly snippet: string | null;
}

/** Problems found by lint and fields missing in the sample: numbered, errors first. */
export function problemsOf(lint: Lint, data: unknown): Shown[] {
  const found = lint.problems.map(({ severity, code, message, snippet, paragraph }) => ({
    severity,
    title: message,
    detail: paragraph === undefined ? '' : `Paragraph ${paragraph}.`,
    code,
    snippet: snippet ?? null,
  }));
  const missing = missingIn(lint.fields, data).map(({ path, paragraph, snippet }) => {
    const last = path.split('.').at(-1) ?? path;
    const near = namesBeside(data, path)
      .map((name) => ({ name, score: likeness(name, last) }))
      .toSorted((a, b) => b.score - a.score)[0];
    const offer = near !== undefined && near.score > 0.4 ? ` The data has ${near.name}.` : '';
    return {
      severity: 'warning' as const,
      title: `${path} is not in the data`,
      detail: `${paragraph === undefined ? '' : `Paragraph ${paragraph}.`}${offer}`.trim(),
      code: 'not_in_data',
      snippet: snippet ?? null,
    };
  });
  const named = new Set(found.map(({ title }) => title));
  const fonts = lint.missingFonts
    .filter((font) => ![...named].some((title) => title.includes(font)))
    .map((font) => ({
      severity: 'warning' as const,
      title: `The font ${font} is not installed`,
      detail: 'Another one is used; line breaks may differ.',
      code: 'font_missing',
      snippet: null,
    }));
  const all = [...found, ...missing, ...fonts];
  const errors = all.filter(({ severity }) => severity === 'error');
  const warnings = all.filter(({ severity }) => severity === 'warning');
  return [...errors, ...warnings].map((problem, index) => ({ ...problem, number: index + 1 }));
}

export function pinsOf(problems: readonly Shown[]): Mark[] {
  return problems.flatMap(({ number, severity, snippet }) =>
    snippet === null
      ? []
      : [
          {
            key: `problem-${number}`,
            // The tag itself where it stands in the page, as in a text that could not be read; else the words beside it.
            texts: [...(snippet.match(/\{\{[^}]*\}\}/g) ?? []), ...fixedWords(snippet)],
            look: 'pin' as const,
            tone: severity,
            label: String(number),
          },
        ],
  );
}
