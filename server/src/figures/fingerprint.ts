import { createHash } from 'node:crypto';

/** The longest cause that is shown. */
const MOST_TEXT = 200;
/** The length of a message that is read. The database returns 600 characters to group by, a list of jobs all of it. */
const MOST_READ = 600;

/**
 * What messages of the same cause share: ids, numbers, dates, addresses and quoted values become …, whatever they were. Order
 * matters: what is quoted goes first, numbers last.
 */
const VARYING: readonly RegExp[] = [
  /"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|`[^`]*`|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu,
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s)]+/gi,
  /[\w.+-]+@[\w-]+(\.[\w-]+)+/g,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi,
  /\b(?=[0-9a-z]*\d)[0-9a-z]{15}(?:[0-9a-z]{3})?\b/gi,
  /\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b/gi,
  /\b[\w-]*\d[\w.,:-]*\b/g,
];

export function causeOf(message: string): string {
  const [line = ''] = message.slice(0, MOST_READ).split('\n', 1);
  let cause = line;
  for (const pattern of VARYING) cause = cause.replace(pattern, '…');
  const short = cause.replaceAll(/…(?:[\s,;]*…)+/g, '…').trim();
  return short.length > MOST_TEXT ? `${short.slice(0, MOST_TEXT - 1)}…` : short;
}

export function groupId(kind: string, code: string, cause: string): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, code, cause]))
    .digest('hex')
    .slice(0, 16);
}
