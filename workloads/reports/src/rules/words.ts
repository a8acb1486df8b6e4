import type { AfterCondition, AfterRule } from './types.ts';

/** `After timesheets and payments of the same business_date, with more than 0 rows; as nightly-exports.` */
export function afterInWords({ parents, as }: AfterRule): string {
  const names = parents.map(({ report, when }) => {
    const asked = when.map(conditionInWords).join(' and ');
    return asked === '' ? report : `${report} (${asked})`;
  });
  const matched = [...new Set(parents.flatMap(({ match }) => match ?? []))];
  const same = matched.length === 0 ? '' : `, of the same ${matched.join(' and ')}`;
  const who = as === 'parent' ? 'for whom that was for' : `as ${as}`;
  return `After ${names.join(' and ')}${same}; ${who}.`;
}

export function conditionInWords({ rows, parameters, as }: AfterCondition): string {
  return [
    ...(rows?.above == null ? [] : [`more than ${rows.above} rows`]),
    ...(rows?.below == null ? [] : [`fewer than ${rows.below} rows`]),
    ...Object.entries(parameters).map(
      ([name, values]) => `${name} is ${values.map((value) => value ?? 'empty').join(' or ')}`,
    ),
    ...(as === null ? [] : [`run as ${as}`]),
  ].join(' and ');
}
