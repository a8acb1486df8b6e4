import type { Filter } from '../soap/soap.ts';

/**
 * The filter of a listing by the beginning of customer keys; none for all there are. `like` is a LIKE of SQL Server, so `_` stands for
 * any character, `[` begins a set and case does not count: what is found is looked at once more by whoever asked.
 */
export function startingWith(prefix: string): { readonly filter?: Filter } {
  const [plain = ''] = prefix.split('[');
  if (plain === '') return {};
  return { filter: { property: 'CustomerKey', operator: 'like', values: [`${plain}%`] } };
}
