/** Text that is HTML already. Everything else is escaped where it is put in. */
export interface Html {
  readonly html: string;
}

type Part = string | Html | readonly Html[] | null;

/** A template whose holes cannot break out: neither of text nor of a quoted attribute. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: String.raw({ raw: texts }, ...parts.map(rendered)) };
}

function rendered(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escaped(part);
  return 'html' in part ? part.html : part.map((each) => each.html).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '');
}
