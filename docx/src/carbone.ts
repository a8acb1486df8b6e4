import { correctedPattern } from './helpers/date-pattern.ts';

/** Carbone's formatters in our tags: `{d.total:formatN(2)}` is `{{number total decimals=2}}`. */

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
  if (/^(?:show|hide)End$/.test(first.name))
    return 'Write {{/if}} or {{/unless}}, as it was opened.';
  if (second !== undefined) return none;
  const tag = single(field, known, first.args);
  if (tag === undefined) return none;
  const money = known === 'formatc' ? ', with the code of your money' : '';
  return `Write {{${tag}}}${money}.`;
}

/** Items by their number, sums over a list, and what else stands in brackets. */
export function insteadOfOtherCarbone(path: string): string {
  const [, list = '', summed = ''] = /^\.([\w.]+)\[\]\.([\w.]+):aggSum(?:\(\))?$/.exec(path) ?? [];
  if (list !== '') return `Write {{sum ${list} "${summed}"}}.`;
  const [, at = '', formatters = ''] = /^\.?([^:]*)(:[^]*)?$/.exec(path) ?? [];
  const field = at.replace(/\[(\d+)\]/g, '.$1').replace(/^\./, '');
  if (/^[A-Za-z_][\w.]*$/.test(field)) return insteadOfCarbone(field, formatters);
  return `There is no equivalent of "d${path}": what it works out comes with the data, as a field of its own.`;
}

/** `.other` stands beside the field, `d.other` in the data; everything else is a text or a number. Undefined: no tag can hold it. */
function operandOf(given: string, field: string): string | undefined {
  if (/^\.[\w.]+$/.test(given))
    return `${field.slice(0, field.lastIndexOf('.') + 1)}${given.slice(1)}`;
  if (/^[dc]\.[\w.]+$/.test(given)) return given.slice(2);
  if (/^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(given)) return given;
  return given.includes('"') ? undefined : `"${given}"`;
}

/** The argument of `show`: words, or a field. */
function shownBy({ args: [given = ''] }: Formatter, field: string): string {
  return /^(?:\.|[dc]\.)[\w.]+$/.test(given) ? `{{${operandOf(given, field) ?? ''}}}` : given;
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

const PLACES: Readonly<Record<string, string>> = {
  p: 'at the beginning of the paragraph and',
  row: 'in the first cell of the row and, in the last one,',
};

function condition(
  field: string,
  test: Formatter,
  yes: Formatter | undefined,
  no: Formatter | undefined,
): string | undefined {
  const known = test.name.toLowerCase();
  const other = operandOf(test.args[0] ?? '', field);
  if (other === undefined) return undefined;
  const opener =
    known === 'ifem'
      ? `#unless ${field}`
      : known === 'ifnem'
        ? `#if ${field}`
        : `#if ${COMPARING[known] ?? 'eq'} ${field} ${other}`;
  const closer = known === 'ifem' ? '/unless' : '/if';
  if (yes?.name === 'show' && (no === undefined || no.name === 'elseShow')) {
    const otherwise = no === undefined ? '' : `{{else}}${shownBy(no, field)}`;
    return `Write {{${opener}}}${shownBy(yes, field)}${otherwise}{{${closer}}}.`;
  }
  if (no !== undefined) return undefined;
  if (yes?.name === 'showBegin')
    return `Write {{${opener}}} here, and {{${closer}}} where showEnd stands.`;
  const opposite = opener.startsWith('#unless') ? `#if ${field}` : opener.replace('#if', '#unless');
  const end = opposite.startsWith('#if') ? '/if' : '/unless';
  if (yes?.name === 'hideBegin')
    return `Write {{${opposite}}} here, and {{${end}}} where hideEnd stands.`;
  if (yes?.name === 'showEnd') return `Write {{${closer}}}.`;
  if (yes?.name === 'hideEnd') return `Write {{${end}}}.`;
  const [what = ''] = yes?.args ?? [];
  if ((yes?.name === 'drop' || yes?.name === 'keep') && Object.hasOwn(PLACES, what)) {
    const [begin, last] = yes.name === 'keep' ? [opener, closer] : [opposite, end];
    return `Write {{${begin}}} ${PLACES[what] ?? ''} {{${last}}} at its end.`;
  }
  return undefined;
}

/** Formats of its dates that go by the language. */
const LOCALIZED: Readonly<Record<string, string>> = {
  L: '"short"',
  LL: '"long"',
  LLL: '"long" time="short"',
  LLLL: '"full" time="short"',
  LT: '"none" time="short"',
};

function single(field: string, known: string, args: readonly string[]): string | undefined {
  const [first = ''] = args;
  if (Object.hasOwn(LETTERS, known)) return `${LETTERS[known] ?? ''} ${field}`;
  if (known === 'formatn')
    return `number ${field}${/^\d+$/.test(first) ? ` decimals=${first}` : ''}`;
  if (known === 'formatc') {
    if (first === '') return `currency ${field} "EUR"`;
    return /^\d+$/.test(first) ? `currency ${field} "EUR" decimals=${first}` : undefined;
  }
  if (known === 'formatd' || known === 'convdate') {
    const asked = (known === 'convdate' ? args[1] : first) ?? '';
    if (Object.hasOwn(LOCALIZED, asked)) return `date ${field} ${LOCALIZED[asked] ?? ''}`;
    const pattern = correctedPattern(asked);
    return pattern === undefined ? `date ${field} "long"` : `date ${field} "${pattern}"`;
  }
  if (known === 'ifempty') return `default ${field} "${first}"`;
  if (known === 'arrayjoin') return `join ${field} "${first || ', '}"`;
  if (known === 'count' || known === 'len') return `count ${field}`;
  if (known === 'html') return `html ${field}`;
  return undefined;
}
