export const REDACTED = '[redacted]';

/** A shorter secret is a word that other lines have too, or a part of JSON's own syntax. */
const SHORTEST = 8;

/** Cuts known secrets out of any text, as they are and as JSON writes them. */
export function createMask(secrets: readonly string[]): (text: string) => string {
  const found = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    // The longest first: a password is part of its URL.
    .toSorted((a, b) => b.length - a.length);
  return (text) => found.reduce((safe, secret) => safe.replaceAll(secret, REDACTED), text);
}
