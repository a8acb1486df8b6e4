import { MillraceError } from '@millrace/engine';

const LONGEST_KEY = 255;
const BETWEEN = '::';

/**
 * RequestHash__c is unique over the whole object, a key only within its kind. Documents have the field to
 * themselves, so that Apex and the service write the same hash; other kinds put their name before it.
 */
export interface Keys {
  write(kind: string, key: string): string;
  read(kind: string, stored: string): string;
}

export function createKeys(defaultKind: string): Keys {
  const before = (kind: string): string => (kind === defaultKind ? '' : kind + BETWEEN);
  return {
    write(kind, key) {
      const stored = before(kind) + key;
      if (stored.length <= LONGEST_KEY) return stored;
      throw new MillraceError(
        'invalid_key',
        `The key is too long: with its kind it may have ${LONGEST_KEY} characters on Salesforce.`,
      );
    },
    read: (kind, stored) =>
      stored.startsWith(before(kind)) ? stored.slice(before(kind).length) : stored,
  };
}
