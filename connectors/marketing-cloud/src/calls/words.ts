import type { ErrorKind } from '../errors.ts';

/**
 * What a message of Marketing Cloud means, the first that fits. Most of its errors have one code for everything that can be
 * wrong with an object (310007 of data extensions, 400 of REST) and only the sentence tells them apart. The words are looked
 * for together, since a message may quote a field whose name is `Timeout` or `Permission`. Two fields of one name are
 * no duplicate: the object itself is not there yet.
 */
const WORDS: readonly (readonly [words: RegExp, kind: ErrorKind])[] = [
  [/throttl|rate limit|too many requests|temporarily blocked/i, 'limit'],
  [
    /exception occurred during|unexpected error|timeout expired|timed out|was deadlocked/i,
    'unavailable',
  ],
  [/in maintenance|planned outage/i, 'unavailable'],
  [
    /already (exists|in use|used|taken|being used)|updating an existing data extension/i,
    'duplicate',
  ],
  [
    /(?<!field )\b(name|key)s? must be unique|duplicate (customer ?key|external key|name)\b/i,
    'duplicate',
  ],
  [
    /permissions? (failed|denied|required|to)|privileges?\b|not authori[sz]ed|access denied/i,
    'permission',
  ],
  [/(have|has|lacks?|without|missing|insufficient|requires?) .{0,40}permission/i, 'permission'],
  [/not found|does ?n[o']t exist|could ?n[o']t (find|be found)|unable to find/i, 'notFound'],
];

export function kindOfMessage(message: string): ErrorKind {
  return WORDS.find(([words]) => words.test(message))?.[1] ?? 'data';
}
