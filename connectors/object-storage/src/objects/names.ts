import { type Xml, textOf } from '../xml/parse.ts';

/**
 * Reads the keys of a list. We ask for them URL-encoded, since a key may hold characters that XML cannot; a storage that does so says
 * it, and one that does not gives them as they are.
 */
export function decoder(list: Xml): (text: string) => string {
  if (textOf(list, 'EncodingType') !== 'url') return (text) => text;
  return (text) => {
    try {
      return decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      return text;
    }
  };
}
