import {
  type BusinessUnit,
  type DataExtension,
  type Field,
  type Folder,
  MarketingCloudError,
} from '@millrace/marketing-cloud';
import { isTemporary } from '../runs/asset-keys.ts';

/** The fields of data extensions by their names, as a query names them, in lower case; those that nobody knows are left out. */
export type FieldsOf = (
  mid: string,
  names: readonly string[],
) => Promise<ReadonlyMap<string, readonly Field[]>>;

/** The names of data extensions; none where nobody may look. */
export type NamesOf = (mid: string) => Promise<readonly string[]>;

/** What there is to query in a business unit, as Marketing Cloud said it some minutes ago. */
export interface Catalog {
  readonly fieldsOf: FieldsOf;
  readonly namesOf: NamesOf;
  /** Without those that runs have made. `refresh`: asks now. */
  list(mid: string, refresh: boolean): Promise<Listed>;
  fields(mid: string, customerKey: string): Promise<readonly Field[]>;
}

export interface Listed {
  readonly dataExtensions: readonly (DataExtension & {
    /** The names of the folders that it is in, outermost first; empty where they are not known. */
    readonly folders: readonly string[];
  })[];
  /** By the clock of this process, monotonic. */
  readonly ageMs: number;
}

interface Known {
  readonly at: number;
  readonly all: readonly DataExtension[];
  /** By the name, case aside. */
  readonly keys: ReadonlyMap<string, string>;
  readonly fields: Map<string, Promise<Field[]>>;
  /** Asked for with the first list: runs do without. */
  folders: Promise<ReadonlyMap<string, Folder>> | null;
}

/** Fields hardly change: two calls for each run would double what a short one costs. */
const KEEP_MS = 10 * 60_000;
/** A name that is not there may have been made a moment ago; asked for no more often than this. */
const ASK_AGAIN_MS = 30_000;

export function createCatalog(parts: {
  businessUnit: (mid: string) => Pick<BusinessUnit, 'dataExtensions' | 'folders' | 'fields'>;
  now: () => number;
}): Catalog {
  const { businessUnit, now } = parts;
  const units = new Map<string, Promise<Known>>();

  async function read(mid: string): Promise<Known> {
    const found = await businessUnit(mid).dataExtensions('');
    const all = found.filter(({ customerKey }) => !isTemporary(customerKey));
    const keys = new Map(all.map(({ name, customerKey }) => [name.toLowerCase(), customerKey]));
    return { at: now(), all, keys, fields: new Map(), folders: null };
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

  function fieldsIn({ fields }: Known, mid: string, key: string): Promise<Field[]> {
    const asked = fields.get(key) ?? businessUnit(mid).fields(key);
    fields.set(key, asked);
    asked.catch(() => fields.delete(key));
    return asked;
  }

  async function foldersIn(mid: string): Promise<ReadonlyMap<string, Folder>> {
    try {
      return new Map((await businessUnit(mid).folders()).map((folder) => [folder.id, folder]));
    } catch (error) {
      // What can be queried matters more than where it is.
      if (!(error instanceof MarketingCloudError)) throw error;
      return new Map();
    }
  }

  return {
    async list(mid, refresh) {
      const unit = await (refresh ? ask(mid) : known(mid, []));
      unit.folders ??= foldersIn(mid);
      const folders = await unit.folders;
      const dataExtensions = unit.all.map((each) => ({
        ...each,
        folders: pathOf(each.folderId, folders),
      }));
      return { dataExtensions, ageMs: now() - unit.at };
    },
    fields: async (mid, customerKey) => fieldsIn(await known(mid, []), mid, customerKey),
    async fieldsOf(mid, given) {
      const names = [...new Set(given.map((name) => name.toLowerCase()))];
      const found = new Map<string, readonly Field[]>();
      if (names.length === 0) return found;
      try {
        const unit = await known(mid, names);
        for (const name of names) {
          const key = unit.keys.get(name);
          if (key !== undefined) found.set(name, await fieldsIn(unit, mid, key));
        }
      } catch (error) {
        // Without the permission to look, types stay unknown, and everything is text.
        if (!(error instanceof MarketingCloudError) || error.retryable) throw error;
      }
      return found;
    },
    async namesOf(mid) {
      try {
        return (await known(mid, [])).all.map(({ name }) => name);
      } catch (error) {
        if (!(error instanceof MarketingCloudError)) throw error;
        return [];
      }
    },
  };
}

/** Deeper than people nest folders; and no end where two are said to be in each other. */
const DEEPEST = 50;

function pathOf(folderId: string | null, folders: ReadonlyMap<string, Folder>): string[] {
  const path: string[] = [];
  let folder = folders.get(folderId ?? '');
  while (folder !== undefined && path.length < DEEPEST) {
    path.unshift(folder.name);
    folder = folders.get(folder.parentId ?? '');
  }
  return path;
}
