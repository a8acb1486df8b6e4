const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/** 15 or 18 letters and digits; the checksum of 18 must be right. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && looksLikeId(text);
}

/** The id with its checksum, by which 18 characters stay unique where case is lost. A TypeError for what is no id. */
export function id18(id: string): string {
  if (!looksLikeId(id)) throw new TypeError(`"${id.slice(0, 40)}" is not a Salesforce id.`);
  return id.slice(0, 15) + checksum(id);
}

function looksLikeId(text: string): boolean {
  if (/^[a-zA-Z0-9]{15}$/.test(text)) return true;
  return /^[a-zA-Z0-9]{18}$/.test(text) && checksum(text) === text.slice(15);
}

/** A character for each five of the first 15: bit n is set where the n-th is an upper-case letter. */
function checksum(id: string): string {
  return [0, 5, 10]
    .map((start) => {
      const bits = [0, 1, 2, 3, 4].filter((n) => /[A-Z]/.test(id.charAt(start + n)));
      return ALPHABET.charAt(bits.reduce((sum, n) => sum + 2 ** n, 0));
    })
    .join('');
}
