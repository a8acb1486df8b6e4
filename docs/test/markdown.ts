/** A fenced block, as ```` ```sh exit=4 ```` begins it: what it is, and what is said about it. */
export interface Block {
  readonly language: string;
  readonly notes: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Section {
  readonly title: string;
  /** As GitHub makes it of the title. */
  readonly anchor: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** What stands under each heading of the second level. */
export function sectionsOf(markdown: string): Section[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...rest] = part.split('\n');
      const text = rest.join('\n');
      return { title, anchor: anchorOf(title), text, blocks: blocksOf(text) };
    });
}

/** All of a text, also those above its first heading. A block may be part of a list, and stand further to the right. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*)([^\n]*)\n(.*?)\n\1```$/gms)].map(
    ([, indent = '', language = '', notes = '', body = '']) => ({
      language,
      notes: Object.fromEntries(
        [...notes.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
      ),
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** Where a link can lead to: every heading but the title. */
export function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^##+ (.+)$/gm)].map(([, title = '']) => anchorOf(title));
}

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
