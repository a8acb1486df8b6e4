import { type HandlersOf, ok } from '@millrace/workload-kit';
import type { snippetContracts } from '../contract/snippets.ts';
import type { QueriesWithin } from '../within.ts';
import { snippetJson } from './json.ts';

export function snippetHandlers({ snippets }: QueriesWithin): HandlersOf<typeof snippetContracts> {
  return {
    async listSnippets({ query, caller }) {
      const { items, next } = await snippets.list({ ...query, userId: caller?.name ?? '' });
      return ok({ snippets: items.map(snippetJson), next });
    },
    async getSnippet({ params: { name }, caller }) {
      return ok(snippetJson(await snippets.get(name, caller?.name ?? '')));
    },
    async saveSnippet({ params: { name }, body: { sql: sqlText, shared }, caller }) {
      const userId = caller?.name ?? '';
      const { snippet, created } = await snippets.save({ name, sqlText, shared, userId });
      return { status: created ? 201 : 200, body: snippetJson(snippet) };
    },
    async deleteSnippet({ params: { name }, caller }) {
      await snippets.remove(name, caller?.name ?? '');
      return ok({ removed: name });
    },
  };
}
