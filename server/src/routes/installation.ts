import { type Handlers, type RouteParts, ok } from '../http/handler.ts';
import { paged } from '../http/paged.ts';
import { tenantsJson } from './json/tenants.ts';

type Names = 'settings' | 'listTenants' | 'sandboxPages';

export function installationHandlers({
  store,
  registry,
  replica,
  settings,
  sandboxPages,
}: Pick<
  RouteParts,
  'store' | 'registry' | 'replica' | 'settings' | 'sandboxPages'
>): Handlers<Names> {
  return {
    settings: async () => ok({ replica, settings: [...settings()] }),
    async listTenants({ query }) {
      const tenants = tenantsJson(await store.counts(), registry);
      const { items, next } = paged('tenants', tenants, ({ name }) => name, query);
      return ok({ tenants: items, next });
    },
    sandboxPages: async () => ok({ pages: [...sandboxPages] }),
  };
}
