import { type BusinessUnit, type Field, MarketingCloudError } from '@millrace/marketing-cloud';

/** The fields of data extensions by their names, as a query names them; null: nobody knows. */
export type FieldsOf = (
  mid: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, readonly Field[]>>;

interface Known {
  readonly at: number;
  /** By the name, case aside. */
  readonly keys: ReadonlyMap<string, string>;
  readonly fields: Map<string, Promise<Field[]>>;
}

/** Fields hardly change: two calls for each run would double what a short one costs. */
const KEEP_MS = 10 * 60_000;
/** A name that is not there may have been made a moment ago; asked for no more often than this. */
const ASK_AGAIN_MS = 30_000;

export function createFieldsOf(parts: {
  businessUnit: (mid: string) => Pick<BusinessUnit, 'dataExtensions' | 'fields'>;
  now: () => number;
}): FieldsOf {
  const { businessUnit, now } = parts;
  const units = new Map<string, Promise<Known>>();

  async function read(mid: string): Promise<Known> {
    const all = await businessUnit(mid).dataExtensions('');
    const keys = new Map(all.map(({ name, customerKey }) => [name.toLowerCase(), customerKey]));
    return { at: now(), keys, fields: new Map() };
  }

  function ask(mid: string): Promise<Known> {
    const asked = read(mid);
    units.set(mid, asked);
    asked.catch(() => units.delete(mid));
    return asked;
  }

  async function known(mid: string, names: readonly string[]): Promise<Known> {
    const found = await (units.get(mid) ?? ask(mid));
    const isLacking = names.some((name) => !found.keys.has(name));
    return now() - found.at >= (isLacking ? ASK_AGAIN_MS : KEEP_MS) ? ask(mid) : found;
  }

  return async (mid, given) => {
    const names = [...new Set(given.map((name) => name.toLowerCase()))];
    const found = new Map<string, readonly Field[]>();
    if (names.length === 0) return found;
    try {
      const { keys, fields } = await known(mid, names);
      for (const name of names) {
        const key = keys.get(name);
        if (key === undefined) continue;
        const asked = fields.get(key) ?? businessUnit(mid).fields(key);
        fields.set(key, asked);
        asked.catch(() => fields.delete(key));
        found.set(name, await asked);
      }
    } catch (error) {
      // Without the permission to look, types stay unknown, and everything is text.
      if (!(error instanceof MarketingCloudError) || error.retryable) throw error;
    }
    return found;
  };
}
