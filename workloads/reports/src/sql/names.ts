/** As Postgres takes any name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A bound value. Names of ours begin with an underscore, which no parameter of a report does. */
export function bound(name: string, type: string): string {
  return `(current_setting('rp.${name}')::${type})`;
}

export const KEY = '_key_';
export const AS_OF = '_as_of';
