/** Characters that turn the order of what follows around, or that take no room. Joiners stay: scripts and emoji need them. */
const HIDDEN = /[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** Text of others, such that two that differ look different: `\u202egnp.exe` would else be read as `exe.png`. */
export function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
