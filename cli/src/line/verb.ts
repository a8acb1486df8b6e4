import { nearest } from '@millrace/api';
import type { Free } from './command.ts';
import { UsageError } from './usage-error.ts';

/** `templates add FILE`: what is to be done, and with what. `verbs` has the word for what follows each, if anything does. */
export function verbOf<Verb extends string>(
  command: string,
  [given = '', object]: readonly string[],
  verbs: Readonly<Record<Verb, string | null>>,
): { verb: Verb; object: string } {
  const known = Object.keys(verbs) as Verb[];
  const verb = known.find((each) => each === given);
  if (verb === undefined) {
    const meant = nearest(given, known);
    const all = new Intl.ListFormat('en').format(known);
    const hint = meant === null ? '' : ` Did you mean ${meant}?`;
    throw new UsageError(`"millrace ${command}" knows ${all}, not "${given}".${hint}`);
  }
  if (verbs[verb] === null) {
    if (object === undefined) return { verb, object: '' };
    throw new UsageError(`"millrace ${command} ${verb}" does not take "${object}".`);
  }
  if (object === undefined)
    throw new UsageError(`Missing argument: millrace ${command} ${verb} ${verbs[verb]}`);
  return { verb, object };
}

/** Refuses an option of another verb, which would be ignored silently. */
export function onlyFor(command: string, given: object, allowed: readonly string[]): void {
  const surplus = Object.keys(given).find(
    (name) => !allowed.includes(name) && !GLOBAL.includes(name),
  );
  if (surplus === undefined) return;
  throw new UsageError(
    `"millrace ${command}" does not take --${surplus}. See "millrace help ${command.split(' ')[0]}".`,
  );
}

/** Options that nobody declared are parameters of `run`; behind any other verb they are slips. */
export function refuseFree(command: string, free: Free): void {
  onlyFor(command, free, []);
}

/** Every command takes them. */
const GLOBAL: readonly string[] = ['json', 'url', 'quiet', 'help', 'version'];
