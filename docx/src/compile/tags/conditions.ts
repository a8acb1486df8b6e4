/** Comparisons as other languages write them, by our words: `a == 1 && b` is `and (eq a 1) b`. */
const OPERATORS: Readonly<Record<string, string>> = {
  '=': 'eq',
  '==': 'eq',
  '===': 'eq',
  '!=': 'ne',
  '!==': 'ne',
  '<>': 'ne',
  '≠': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '≥': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '≤': 'lte',
};

const OPERAND = '"[^"]*"|\'[^\']*\'|[^\\s=!<>≠≥≤&|"\'()]+';
const COMPARISON = new RegExp(`^(${OPERAND}) ?([=!<>≠≥≤]{1,3}) ?(${OPERAND})$`);
const SINGLE = new RegExp(`^(?:! ?|not )?(${OPERAND})$`);

/** Undefined for what holds no operator, or more than can be decided. */
export function inWords(condition: string): string | undefined {
  for (const [sign, word] of [
    [/ ?\|\| ?| or /i, 'or'],
    [/ ?&& ?| and /i, 'and'],
  ] as const) {
    const parts = condition.split(sign);
    if (parts.length === 1) continue;
    const words = parts.map((part) => single(part.trim()));
    if (words.includes(undefined)) return undefined;
    return `${word} ${words.map((part = '') => (part.includes(' ') ? `(${part})` : part)).join(' ')}`;
  }
  const words = single(condition.trim());
  return words === condition.trim() ? undefined : words;
}

function single(part: string): string | undefined {
  const [, left = '', sign = '', right = ''] = COMPARISON.exec(part) ?? [];
  const word = Object.hasOwn(OPERATORS, sign) ? OPERATORS[sign] : undefined;
  if (word !== undefined) return `${word} ${left} ${right}`;
  const [whole, operand = ''] = SINGLE.exec(part) ?? [];
  return whole === undefined ? undefined : whole === operand ? operand : `not ${operand}`;
}
