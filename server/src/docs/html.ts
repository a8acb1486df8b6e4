/** Text that is markup already. Everything else is escaped on its way into a page. */
export interface Html {
  readonly markup: string;
}

export type Part = Html | string | number | false | null | undefined | readonly Part[];

/** A template whose values are escaped: only what this function made goes in as it is. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = texts.reduce((all, text, index) => `${all}${markupOf(parts[index - 1])}${text}`);
  return { markup };
}

export function join(parts: readonly Part[], between: Part): Html {
  return { markup: parts.map(markupOf).join(markupOf(between)) };
}

function markupOf(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
