import { conditionsInWords } from './graph.ts';
import type { AfterParent, AfterRule } from './types.ts';

/** `After all of payments and timesheets with the same month, as parent`. */
export function afterInWords({ parents, as }: AfterRule): string {
  const names = parents.map(parentInWords);
  const [match] = parents.flatMap((each) => each.match ?? []);
  const which =
    parents.length === 1
      ? `After ${names.join('')}`
      : `After all of ${names.join(' and ')}${match === undefined ? '' : ` with the same ${match}`}`;
  const who = as === 'parent' ? 'as whoever ran it before' : `as the service ${as}`;
  return `${which}, ${who}.`;
}

function parentInWords({ report, when }: AfterParent): string {
  const words = conditionsInWords(when);
  return words === null ? report : `${report} (${words})`;
}
