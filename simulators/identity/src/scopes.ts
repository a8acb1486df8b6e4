import { Refusal } from './refusal.ts';

const OF_OPENID = ['openid', 'profile', 'email', 'offline_access'];

/** The one delegated permission of the API: what `.default` stands for when a person signs in. */
export const DELEGATED = 'access_as_user';

/** What a token may be asked for, as the space-separated words of the request. */
export type Scopes = readonly string[];

export function knownScopes(audience: string): Scopes {
  return [...OF_OPENID, `${audience}/.default`, `${audience}/${DELEGATED}`];
}

/** For a person. */
export function parseScopes(text: string | undefined, audience: string): Scopes {
  const words = wordsOf(text);
  if (words.length === 0) {
    throw new Refusal('invalid_request', 'The request names no scope.');
  }
  const known = knownScopes(audience);
  if (!words.every((word) => known.includes(word))) {
    throw new Refusal('invalid_scope', `Known scopes are: ${known.join(', ')}.`);
  }
  return words;
}

/** For an app by itself: Entra gives it all of its roles, or nothing. */
export function checkAppScope(text: string | undefined, audience: string): void {
  const words = wordsOf(text);
  if (words.length !== 1 || words[0] !== `${audience}/.default`) {
    throw new Refusal('invalid_scope', `The scope of client credentials is ${audience}/.default.`);
  }
}

/** A refresh may ask for less than was given, never for more. */
export function narrow(text: string | undefined, given: Scopes): Scopes {
  const words = wordsOf(text);
  if (!words.every((word) => given.includes(word))) {
    throw new Refusal('invalid_scope', 'The refresh token does not cover that scope.');
  }
  return words.length === 0 ? given : words;
}

export function isForApi(scopes: Scopes, audience: string): boolean {
  return scopes.some((scope) => scope.startsWith(`${audience}/`));
}

function wordsOf(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(' ').filter((word) => word !== ''))];
}
