import { isPlainKey } from '../../paths.ts';
import { TagSyntaxError } from './tag-error.ts';

export interface PathExpression {
  readonly kind: 'path';
  readonly text: string;
  /** How many scopes outwards (`../`); -1 means the root (`@root`). */
  readonly up: number;
  readonly keys: readonly string[];
  /** `@index` and its like: about the loop, not about the data. */
  readonly meta: Meta | undefined;
  /** Looked for further out where an item lacks it. `this.Name` is of the item alone, `../Name` and `@root.Name` say where. */
  readonly outwards: boolean;
  /** The same without `__formatted` at its end. */
  readonly plain: PathExpression | undefined;
}

const FORMATTED = '__formatted';

/** A path that is looked for from the innermost item outwards. */
export function namedPath(text: string, keys: readonly string[]): PathExpression {
  return withPlain({ kind: 'path', text, up: 0, keys, meta: undefined, outwards: true });
}

/** `Amount__formatted` is text that the sender prepared; without it the plain `Amount` stands in. */
function withPlain(path: Omit<PathExpression, 'plain'>): PathExpression {
  const last = path.keys.at(-1);
  if (!last?.endsWith(FORMATTED)) return { ...path, plain: undefined };
  const keys = [...path.keys.slice(0, -1), last.slice(0, -FORMATTED.length)];
  return { ...path, plain: { ...path, keys, plain: undefined } };
}

export type Meta = 'index' | 'number' | 'first' | 'last';
const METAS: readonly string[] = ['index', 'number', 'first', 'last'];

export function parsePath(word: string): PathExpression {
  let rest = word;
  let up = 0;
  while (rest.startsWith('../')) {
    up++;
    rest = rest.slice(3);
  }
  const path = (keys: readonly string[], meta?: Meta, from = up): PathExpression =>
    withPlain({ kind: 'path', text: word, up: from, keys, meta, outwards: false });
  if (rest === '..') return path([], undefined, up + 1);
  if (rest === 'this' || rest === '.' || rest === '') return path([]);
  if (rest === '@root') return path([], undefined, -1);
  if (rest.startsWith('@root.')) return path(keysIn(rest.slice(6), word), undefined, -1);
  if (rest.startsWith('@')) {
    const meta = rest.slice(1);
    if (!METAS.includes(meta)) {
      throw new TagSyntaxError(`"${rest}" is unknown. There are @${METAS.join(', @')} and @root.`);
    }
    return path([], meta as Meta);
  }
  const named = rest.replace(/^(?:this\.|\.\/)/, '');
  const keys = keysIn(named, word);
  return up === 0 && named === rest ? namedPath(word, keys) : path(keys);
}

/** A plain name, or any name in brackets; an item of a list by its number, in brackets or not. */
const KEY = /\[([^\]]*)\]|([^.[\]]+)/y;

function keysIn(path: string, word: string): string[] {
  const keys: string[] = [];
  let at = 0;
  do {
    KEY.lastIndex = at;
    const [whole = '', bracketed, plain = ''] = KEY.exec(path) ?? [];
    const key = (bracketed ?? plain).trim();
    if (key === '' || (bracketed === undefined && !isPlainKey(key)))
      throw new TagSyntaxError(`"${word}" is no path. Write it like Account.Name.`);
    if (/^["'\u2018-\u201f].*["'\u2018-\u201f]$/u.test(key))
      throw new TagSyntaxError(`A name in brackets has no quotes: write [${key.slice(1, -1)}].`);
    keys.push(key);
    at += whole.length;
    // x[0] is x.0; a name in brackets has its dot, as in Customer.[First Name]: x[i] means something elsewhere.
    if (/^\[\d+\]/.test(path.slice(at))) continue;
    if (at < path.length && path[at] !== '.')
      throw new TagSyntaxError(`"${word}" is no path. Write it like Account.Name.`);
    at++;
  } while (at <= path.length);
  return keys;
}
