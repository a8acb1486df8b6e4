import type { SavedWhat } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import type { ZodType } from 'zod';
import { toast } from '../ui/toast.tsx';
import { useApi, useApp } from './client.ts';
import { keys } from './keys.ts';

/** Something that the person has saved on the server, in the tenant that is looked at. */
export interface Saved<Value> {
  readonly name: string;
  readonly value: Value;
  readonly updatedAt: string;
}

/** By name; undefined until they are known. What another version of the console wrote and this one cannot read is left out. */
export function useSaved<Value>(
  what: SavedWhat,
  schema: ZodType<Value>,
): readonly Saved<Value>[] | undefined {
  const api = useApi();
  const { data, isError } = useQuery({
    queryKey: keys.saved(what),
    queryFn: () => api.listSaved({ query: { what } }),
  });
  // Nobody is kept from their work by what they cannot have at this moment.
  if (data === undefined) return isError ? [] : undefined;
  return data.saved.flatMap(({ name, value, updatedAt }) => {
    const read = schema.safeParse(value);
    return read.success ? [{ name, value: read.data, updatedAt }] : [];
  });
}

export interface Saving {
  /** False: it was not saved, and a toast said why. */
  save(name: string, value: object): Promise<boolean>;
  /** Can be undone while its toast is there. */
  remove(thing: { readonly name: string; readonly value: object }): Promise<void>;
}

export function useSaving(what: SavedWhat): Saving {
  const api = useApi();
  const { queries } = useApp();
  const reported = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (error) {
      toast({ text: error instanceof Error ? error.message : String(error), phase: 'failed' });
      return false;
    } finally {
      void queries.invalidateQueries({ queryKey: keys.saved(what) });
    }
  };
  const save: Saving['save'] = (name, value) =>
    reported(() => api.putSaved({ params: { what, name }, body: { value: { ...value } } }));
  return {
    save,
    async remove({ name, value }) {
      if (await reported(() => api.deleteSaved({ params: { what, name } })))
        toast({ text: `${name} deleted`, undo: () => save(name, value) });
    },
  };
}

/** Why a name is invalid, checked before the server would refuse it; null if it is valid. */
export function wrongName(name: string): string | null {
  if (name.length > 100) return 'At most 100 characters.';
  return /^[\p{L}\p{N}]([^\p{C}]*[^\p{C}\p{Z}])?$/u.test(name)
    ? null
    : 'Start with a letter or a digit; do not end with a space.';
}
