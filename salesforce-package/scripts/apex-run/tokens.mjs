// Apex and SOQL as tokens. Names keep their spelling; the parser compares them in lower case, as Apex does.

/** @typedef {{ kind: 'name' | 'text' | 'number' | 'sign' | 'end', text: string, low: string, line: number }} Token */

const PATTERN =
  /(\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^'\\\n]|\\.)*')|(\d+(?:\.\d+)?[lLdD]?)|([A-Za-z_]\w*)|(\?\.|=>|==|!=|<=|>=|&&|\|\||\+\+|--|\+=|-=|\*=|\/=|[-+*/%<>=!?:;,.(){}[\]@])/y;

/** @param {string} source @returns {Token[]} */
export function tokensOf(source) {
  /** @type {Token[]} */
  const tokens = [];
  let line = 1;
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < source.length) {
    const at = PATTERN.lastIndex;
    const found = PATTERN.exec(source);
    if (found === null) throw new SyntaxError(`line ${line}: unexpected ${source.charAt(at)}`);
    const [all, blank, text, number, name] = found;
    if (blank === undefined) {
      const kind = text ? 'text' : number ? 'number' : name ? 'name' : 'sign';
      tokens.push({ kind, text: all, low: all.toLowerCase(), line });
    }
    for (const character of all) if (character === '\n') line += 1;
  }
  tokens.push({ kind: 'end', text: 'the end', low: '', line });
  return tokens;
}

/** Reads tokens one after the other, and goes back where a guess was wrong. @param {Token[]} tokens */
export function readerOf(tokens) {
  let at = 0;
  const last = /** @type {Token} */ (tokens.at(-1));
  const peek = (ahead = 0) => tokens[at + ahead] ?? last;

  /** @param {string} low a sign or a word @param {number} [ahead] */
  const is = (low, ahead = 0) => peek(ahead).low === low && peek(ahead).kind !== 'text';

  const next = () => {
    const token = peek();
    at += 1;
    return token;
  };

  /** @param {string} what @returns {never} */
  function fail(what) {
    throw new SyntaxError(`line ${peek().line}: expected ${what}, found ${peek().text}`);
  }

  return {
    peek,
    is,
    next,
    fail,
    /** @param {string} low */
    take(low) {
      if (!is(low)) return false;
      at += 1;
      return true;
    },
    /** @param {string} low */
    expect(low) {
      return is(low) ? next() : fail(low);
    },
    name() {
      return peek().kind === 'name' ? next().text : fail('a name');
    },
    /** What `read` makes of the next tokens; undefined, and nothing read, where they do not fit. @template T @param {() => T | undefined} read */
    guess(read) {
      const start = at;
      try {
        const found = read();
        if (found !== undefined) return found;
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
      at = start;
      return undefined;
    },
  };
}

/** @typedef {ReturnType<typeof readerOf>} Reader */

const ESCAPES = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** What a literal text stands for. @param {string} quoted */
export function unquoted(quoted) {
  return quoted
    .slice(1, -1)
    .replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, escape) =>
      escape.length === 5
        ? String.fromCharCode(Number.parseInt(escape.slice(1), 16))
        : (ESCAPES[/** @type {keyof typeof ESCAPES} */ (escape)] ?? escape),
    );
}
