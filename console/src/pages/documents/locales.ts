/** How numbers and dates may be written, by example: people know theirs when they see it. */
export const LOCALES = [
  { value: 'en-US', word: 'English (US): 1,234.50, 12/31/2026' },
  { value: 'en-GB', word: 'English (UK): 1,234.50, 31/12/2026' },
  { value: 'de-DE', word: 'German: 1.234,50, 31.12.2026' },
  { value: 'de-CH', word: 'German (Switzerland): 1’234.50, 31.12.2026' },
  { value: 'fr-FR', word: 'French: 1 234,50, 31/12/2026' },
  { value: 'es-ES', word: 'Spanish: 1.234,50, 31/12/2026' },
  { value: 'it-IT', word: 'Italian: 1.234,50, 31/12/2026' },
  { value: 'nl-NL', word: 'Dutch: 1.234,50, 31-12-2026' },
  { value: 'pl-PL', word: 'Polish: 1234,50, 31.12.2026' },
  { value: 'pt-PT', word: 'Portuguese: 1234,50, 31/12/2026' },
  { value: 'sv-SE', word: 'Swedish: 1 234,50, 2026-12-31' },
  { value: 'tr-TR', word: 'Turkish: 1.234,50, 31.12.2026' },
] as const;

/** The reader's own language where it is among them. */
export function ownLocale(): string {
  const exact = LOCALES.find(({ value }) => value === navigator.language);
  const near = LOCALES.find(({ value }) => value.startsWith(navigator.language.slice(0, 2)));
  return exact?.value ?? near?.value ?? 'en-US';
}
