import type { Context } from '../context.ts';

/** On standard error, also with --quiet and --json: a script that counts lines must not take a part for the whole. */
export function warnOfMissing({ err, json, warn }: Context, places: readonly string[]): void {
  if (places.length === 0) return;
  if (json) return err.line(JSON.stringify({ missing: places }));
  const verb = places.length === 1 ? 'does' : 'do';
  warn(`This list is incomplete: ${new Intl.ListFormat('en').format(places)} ${verb} not answer.`);
}
