import { correctedPattern } from './helpers/date-pattern.ts';

/** What Carbone's formatters are in our tags: `{d.total:formatN(2)}` is `{{number total decimals=2}}`. */

const COMPARING: Readonly<Record<string, string>> = {
  ifeq: 'eq',
  ifne: 'ne',
  ifgt: 'gt',
  ifgte: 'gte',
  iflt: 'lt',
  iflte: 'lte',
};

const LETTERS: Readonly<Record<string, string>> = { uppercase: 'upper', lowercase: 'lower' };

interface Formatter {
  readonly name: string;
  readonly args: readonly string[];
}

const FORMATTER = /^:(\w+)(?:\(((?:'[^']*'|"[^"]*"|[^()'"])*)\))?/;

/** A sentence on what to write for a field with formatters behind it (`:formatN(2):upperCase`). */
export function insteadOfCarbone(field: string, formatters: string): string {
  const chain = chainOf(formatters);
  const none = `There is no equivalent of "${formatters}": what it works out comes with the data, and {{${field}}} prints that.`;
  if (chain === undefined) return none;
  const [first, second, third, ...more] = chain;
  if (first === undefined) return `Write {{${field}}}.`;
  const known = first.name.toLowerCase();
  if (Object.hasOwn(COMPARING, known) || known === 'ifem' || known === 'ifnem') {
    if (more.length > 0) return none;
    return condition(field, first, second, third) ?? none;
  }
  if (second !== undefined) return none;
  const tag = single(field, known, first.args);
  return tag === undefined ? none : `Write {{${tag}}}.`;
}

function chainOf(formatters: string): Formatter[] | undefined {
  const chain: Formatter[] = [];
  let rest = formatters.trim();
  while (rest !== '') {
    const [whole, name = '', args = ''] = FORMATTER.exec(rest) ?? [];
    if (whole === undefined) return undefined;
    const words = args.match(/'[^']*'|"[^"]*"|[^,]+/g) ?? [];
    chain.push({ name, args: words.map((word) => word.trim().replace(/^['"]|['"]$/g, '')) });
    rest = rest.slice(whole.length).trim();
  }
  return chain;
}

function condition(
  field: string,
  test: Formatter,
  yes: Formatter | undefined,
  no: Formatter | undefined,
): string | undefined {
  const known = test.name.toLowerCase();
  const [other = ''] = test.args;
  const opener =
    known === 'ifem'
      ? `#unless ${field}`
      : known === 'ifnem'
        ? `#if ${field}`
        : `#if ${COMPARING[known] ?? 'eq'} ${field} ${/^-?\d+(?:\.\d+)?$/.test(other) ? other : `"${other}"`}`;
  const closer = known === 'ifem' ? '/unless' : '/if';
  if (yes?.name === 'show' && (no === undefined || no.name === 'elseShow')) {
    const otherwise = no === undefined ? '' : `{{else}}${no.args[0] ?? ''}`;
    return `Write {{${opener}}}${yes.args[0] ?? ''}${otherwise}{{${closer}}}.`;
  }
  if (no !== undefined) return undefined;
  if (yes?.name === 'showBegin')
    return `Write {{${opener}}} here, and {{${closer}}} where showEnd stands.`;
  if (yes?.name === 'hideBegin') {
    const opposite = opener.startsWith('#unless')
      ? `#if ${field}`
      : opener.replace('#if', '#unless');
    const end = opposite.startsWith('#if') ? '/if' : '/unless';
    return `Write {{${opposite}}} here, and {{${end}}} where hideEnd stands.`;
  }
  if (yes?.name === 'showEnd') return `Write {{${closer}}}.`;
  return undefined;
}

function single(field: string, known: string, args: readonly string[]): string | undefined {
  const [first = ''] = args;
  if (Object.hasOwn(LETTERS, known)) return `${LETTERS[known] ?? ''} ${field}`;
  if (known === 'formatn')
    return `number ${field}${/^\d+$/.test(first) ? ` decimals=${first}` : ''}`;
  if (known === 'formatc') return `currency ${field} "EUR"`;
  if (known === 'formatd' || known === 'convdate') {
    const asked = (known === 'convdate' ? args[1] : first) ?? '';
    const pattern = correctedPattern(asked);
    return pattern === undefined ? `date ${field} "long"` : `date ${field} "${pattern}"`;
  }
  if (known === 'ifempty') return `default ${field} "${first}"`;
  if (known === 'arrayjoin') return `join ${field} "${first || ', '}"`;
  if (known === 'count' || known === 'len') return `count ${field}`;
  if (known === 'html') return `html ${field}`;
  return undefined;
}
