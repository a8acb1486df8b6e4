import { useQueries } from '@tanstack/react-query';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import type { TemplateAnswer } from './types.ts';

/** Templates by version, each with what lint says. A version never changes, so it is asked for once. */
export function useTemplates(ids: readonly string[]): ReadonlyMap<string, TemplateAnswer> {
  const api = useApi();
  const distinct = [...new Set(ids)];
  return useQueries({
    queries: distinct.map((id) => ({
      queryKey: keys.template(id),
      queryFn: () => api.getTemplate({ params: { id } }),
      staleTime: Infinity,
    })),
    combine: (answers) =>
      new Map(answers.flatMap(({ data }, index) => (data ? [[distinct[index] ?? '', data]] : []))),
  });
}
