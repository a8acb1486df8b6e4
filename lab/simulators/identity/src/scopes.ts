import type { Settings } from './options.ts';
import { Refusal } from './refusal.ts';

const OF_OPENID = ['openid', 'profile', 'email', 'offline_access'];

/** The one delegated permission of the API: what `.default` stands for when a person signs in. */
export const DELEGATED = 'access_as_user';

/** The scopes that a token may be asked for, as the space-separated words of the request. */
export type Scopes = readonly string[];

type Api = Settings['api'];

/** Entra knows an API by its Application ID URI and by its client id. */
function identifiersOf({ appIdUri, clientId }: Api): readonly string[] {
  return [appIdUri, clientId];
}

export function knownScopes(api: Api): Scopes {
  const ofApi = identifiersOf(api).flatMap((id) => [`${id}/.default`, `${id}/${DELEGATED}`]);
  return [...OF_OPENID, ...ofApi];
}

/** For a person. */
export function parseScopes(text: string | undefined, api: Api): Scopes {
  const words = wordsOf(text);
  if (words.length === 0) {
    throw new Refusal('invalid_request', 'The request names no scope.');
  }
  const known = knownScopes(api);
  if (!words.every((word) => known.includes(word))) {
    throw new Refusal('invalid_scope', `Known scopes are: ${known.join(', ')}.`);
  }
  const isNamed = (word: string) => word.endsWith(`/${DELEGATED}`);
  if (words.some(isNamed) && words.some((word) => word.endsWith('/.default'))) {
    // "The .default scope" of "Scopes and permissions in the Microsoft identity platform".
    throw new Refusal('invalid_scope', '.default cannot be combined with a scope by name.');
  }
  return words;
}

/** For an app by itself: Entra gives it all of its roles, or nothing. The API, as the request names it. */
export function parseAppScope(text: string | undefined, api: Api): string {
  const words = wordsOf(text);
  const [resource] = identifiersOf(api).filter((id) => words[0] === `${id}/.default`);
  if (words.length !== 1 || resource === undefined) {
    throw new Refusal(
      'invalid_scope',
      `The scope of client credentials is ${api.appIdUri}/.default.`,
    );
  }
  return resource;
}

/** A refresh may ask for less than was given, never for more. */
export function narrow(text: string | undefined, given: Scopes): Scopes {
  const words = wordsOf(text);
  if (!words.every((word) => given.includes(word))) {
    throw new Refusal('invalid_scope', 'The refresh token does not cover that scope.');
  }
  return words.length === 0 ? given : words;
}

/** The API, as the scopes name it. Null: they are not about it. */
export function resourceOf(scopes: Scopes, api: Api): string | null {
  const named = (id: string) => scopes.some((scope) => scope.startsWith(`${id}/`));
  return identifiersOf(api).find(named) ?? null;
}

function wordsOf(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(' ').filter((word) => word !== ''))];
}
