import { ApiError } from '../errors.ts';
import { isObject } from './request.ts';

const REFERENCE = /@\{([A-Za-z0-9_]+)((?:\.[A-Za-z0-9_]+|\[\d+\])*)\}/g;

/** Bodies of the subrequests before, by their referenceId. A failed one has none to give. */
export type Results = ReadonlyMap<string, unknown>;

/** Puts results in place of `@{ref.path}`, in every text of a value. */
export function resolve(value: unknown, results: Results): unknown {
  if (typeof value === 'string') return resolveText(value, results);
  if (Array.isArray(value)) return value.map((each) => resolve(each, results));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, resolve(each, results)]),
  );
}

/** A text that is one reference becomes its value, number or text; inside a longer text it becomes text. */
function resolveText(text: string, results: Results): unknown {
  const whole = new RegExp(`^${REFERENCE.source}$`).exec(text);
  if (whole !== null) return lookUp(results, whole[1] ?? '', whole[2] ?? '', text);
  return resolveInText(text, results);
}

export function resolveInText(text: string, results: Results): string {
  return text.replaceAll(REFERENCE, (all, name: string, path: string) =>
    String(lookUp(results, name, path, all)),
  );
}

function lookUp(results: Results, name: string, path: string, all: string): unknown {
  let value = results.get(name);
  for (const step of path.match(/[A-Za-z0-9_]+/g) ?? []) {
    value = Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined;
  }
  if (value !== undefined) return value;
  throw new ApiError(
    'PROCESSING_HALTED',
    `Invalid reference specified. No value for ${all.slice(2, -1)} found in ${name}`,
  );
}
