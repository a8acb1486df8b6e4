import { z } from 'zod';
import { savedOutput } from '../again/again.ts';
import type { Sheet } from './ChooseFiles.tsx';
import { type Filling, type Mapping, type TemplateField, autoMatch } from './match.ts';

/**
 * A batch that somebody prepares. What was decided outlives a reload, with columns by their names; the file itself is a handle to the
 * reader's machine and ends with the page. Neither ends when another page is opened in between.
 */
const keptDraft = z.object({
  template: z.string(),
  /** The kept batch that is done again. */
  again: z.string().nullable(),
  file: z.string(),
  columns: z.array(z.string()),
  filled: z.record(
    z.string(),
    z.union([
      z.object({ column: z.string(), how: z.enum(['same', 'last', 'guess', 'chosen']) }),
      z.object({ same: z.string() }),
      z.object({ empty: z.literal(true) }),
    ]),
  ),
  output: savedOutput,
  dataLocale: z.string(),
  saveAs: z.string(),
});
export type KeptDraft = z.infer<typeof keptDraft>;

export interface Draft {
  sheet(): Sheet | null;
  kept(): KeptDraft | null;
  /** The batch that was made of it: who comes back sees it, and does not run it a second time unawares. */
  ran(): string | null;
  setSheet(sheet: Sheet): void;
  keep(kept: KeptDraft): void;
  /** Clears the choices but keeps the file, when another template is chosen. */
  forget(): void;
  finish(batch: string): void;
  drop(): void;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export function createDraft(store: Store, key: string): Draft {
  let sheet: Sheet | null = null;
  let kept = read(store.getItem(key));
  let ran: string | null = null;
  return {
    sheet: () => sheet,
    kept: () => kept,
    ran: () => ran,
    setSheet(given) {
      sheet = given;
      ran = null;
    },
    keep(next) {
      kept = next;
      if (ran === null) store.setItem(key, JSON.stringify(next));
    },
    forget() {
      kept = null;
      store.removeItem(key);
    },
    finish(batch) {
      ran = batch;
      store.removeItem(key);
    },
    drop() {
      sheet = null;
      kept = null;
      ran = null;
      store.removeItem(key);
    },
  };
}

function read(text: string | null): KeptDraft | null {
  if (text === null) return null;
  try {
    return keptDraft.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

let own: Draft | null = null;

/** The one of this tab. Another tenant is chosen with a reload, and has another one. */
export function ownDraft(tenant: string | null): Draft {
  own ??= createDraft(sessionStorage, `millrace.new-batch ${tenant ?? ''}`);
  return own;
}

export function isAbout(
  kept: KeptDraft | null,
  template: string | undefined,
  again: string | undefined,
): kept is KeptDraft {
  return kept !== null && kept.template === template && kept.again === (again ?? null);
}

export function byName(mapping: Mapping, columns: readonly string[]): KeptDraft['filled'] {
  const filled: KeptDraft['filled'] = {};
  for (const [path, filling] of mapping)
    filled[path] =
      'column' in filling ? { column: columns[filling.column] ?? '', how: filling.how } : filling;
  return filled;
}

/** Applies earlier choices to the current spreadsheet, often the same file dropped again. New columns may fill open fields. */
export function takenUp(
  kept: KeptDraft,
  fields: readonly TemplateField[],
  columns: readonly string[],
): Map<string, Filling> {
  const mapping = new Map<string, Filling>();
  for (const { path } of fields) {
    const filling = kept.filled[path];
    if (filling === undefined) continue;
    if (!('column' in filling)) mapping.set(path, filling);
    else if (columns.includes(filling.column))
      mapping.set(path, { column: columns.indexOf(filling.column), how: filling.how });
  }
  const known = new Set(kept.columns);
  const open = fields.filter(({ path }) => !mapping.has(path));
  const added = columns.map((name) => (known.has(name) ? '' : name));
  return new Map([...mapping, ...autoMatch(open, added)]);
}
