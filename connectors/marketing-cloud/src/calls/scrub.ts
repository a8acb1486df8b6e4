/** Marketing Cloud quotes SQL and data in its messages; a few lines tell enough. */
const LONGEST_MESSAGE = 1_000;

/** A message from outside, without secrets and not too long. */
export function scrub(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '[secret]');
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}…` : text;
}

/** Ids come from outside; a line end in one must not become a header. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_').slice(0, 200);
}
