import { type SavedThing, type SavedWhat, allows } from '@millrace/api';
import type { Saved, SavedOf } from '@millrace/store-postgres';
import { type Caller, iso } from '@millrace/workload-kit';
import { type Handlers, type RouteParts, ok } from '../http/handler.ts';
import { paged } from '../http/paged.ts';
import { Refusal } from '../http/refusal.ts';

type Names = 'listSaved' | 'putSaved' | 'deleteSaved';

/**
 * Of whoever asks, and in the tenant where their new things go: the store is asked for nothing else, whatever their role. An
 * operator does not see what members save, nor does an admin.
 */
export function savedHandlers({
  saved,
  scope,
}: Pick<RouteParts, 'saved' | 'scope'>): Handlers<Names> {
  const mine = (caller: Caller | null, what: SavedWhat): SavedOf => ({
    owner: caller?.name ?? '',
    tenant: scope.tenant,
    what,
  });
  return {
    async listSaved({ query: { what, ...page }, caller }) {
      const all = await saved.list(mine(caller, what));
      const { items, next } = paged(`saved ${what}`, all, ({ name }) => name, page);
      return ok({ saved: items.map((each) => savedJson(what, each)), next });
    },
    async putSaved({ params: { what, name }, body: { value }, caller }) {
      maySave(what, caller);
      const thing = { ...mine(caller, what), name, value: JSON.stringify(value) };
      const put = await saved.put(thing);
      if (put === null)
        throw new Refusal('saved_full', `You already have the maximum of saved ${what}.`);
      return { status: put.created ? 201 : 200, body: savedJson(what, put.saved) };
    },
    async deleteSaved({ params: { what, name }, caller }) {
      if (!(await saved.remove({ ...mine(caller, what), name })))
        throw new Refusal('saved_not_found', `You have nothing saved as "${name}".`);
      return ok({ removed: name });
    },
  };
}

/** As for making one. */
function maySave(what: SavedWhat, caller: Caller | null): void {
  if (what === 'views' || caller === null || allows('member', caller.roles)) return;
  throw new Refusal(
    'role_missing',
    `Saving batches needs the role member, which ${caller.name} does not have.`,
  );
}

function savedJson(what: SavedWhat, { name, value, updatedAt }: Saved): SavedThing {
  return {
    what,
    name,
    value: JSON.parse(value) as SavedThing['value'],
    updatedAt: iso(updatedAt),
  };
}
