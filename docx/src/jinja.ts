import { inWords } from './compile/tags/conditions.ts';
import { parseTag } from './compile/tags/expression.ts';
import { LEAVE_OUT, asTag, eachOf } from './docx-templates.ts';

/** Statements of Jinja and docxtpl in our tags. docxtpl says by letters what is repeated or removed: `{%tr for a in b %}`. */

const STATEMENT = /^(?:(p|tr|tc|r)(?= |-))? ?-?\s*([^]*[^-\s])?[-\s]*$/;

/** Tests of Jinja that a condition of ours is, too. */
const TESTS: readonly (readonly [RegExp, string])[] = [
  [/^(\S+) is not (?:none|defined|undefined|false)$/i, '$1'],
  [/^(\S+) is (?:defined|true)$/i, '$1'],
  [/^(\S+) is (?:none|undefined|false)$/i, 'not $1'],
];

export function insteadOfStatement(statement: string): string {
  const [, letters, text = ''] = STATEMENT.exec(statement) ?? [];
  const [, word = '', rest = ''] = /^(\w+)\s*([^]*)$/.exec(text) ?? [];
  switch (word) {
    case 'for': {
      const [, variable = '', list = ''] = /^(.*?\S)\s+in\s+([^]*)$/.exec(rest) ?? [];
      const advice = eachOf(list, variable);
      return letters === 'tc'
        ? `${advice} Add by=column, as in {{#each ${/^[\w.]+$/.test(list) ? list : 'Lines'} by=column}}, in the cell that is repeated, and delete the cells of these two tags.`
        : advice;
    }
    case 'if':
    case 'elif':
      return asCondition(word === 'if' ? '#if' : 'else if', rest);
    case 'else':
    case 'endif':
    case 'endfor':
      return asTag(text);
    default:
      return LEAVE_OUT;
  }
}

function asCondition(opener: string, given: string): string {
  const test = TESTS.find(([pattern]) => pattern.test(given));
  const asked = test === undefined ? given : given.replace(test[0], test[1]);
  const plain = asked.replace(/\b(?:True|False|None)\b/g, (word) =>
    word === 'None' ? 'null' : word.toLowerCase(),
  );
  const words = inWords(plain) ?? plain;
  try {
    parseTag(`${opener} ${words}`);
    return opener === '#if' ? `Write {{#if ${words}}} … {{/if}}.` : `Write {{else if ${words}}}.`;
  } catch {
    return `There is no equivalent of "${given}": whether it is so comes with the data, and {{${opener} Field}} asks for it.`;
  }
}

export function loopOfStatement(source: string): { readonly opens: string } | 'closes' | undefined {
  const [, , text = ''] = STATEMENT.exec(source.replace(/^\{%|%\}$/g, '')) ?? [];
  if (/^endfor\b/.test(text)) return 'closes';
  const [, variable] = /^for\s+(\w+)\s+in\b/.exec(text) ?? [];
  return variable === undefined ? undefined : { opens: variable };
}

const COUNTS: Readonly<Record<string, string>> = {
  'loop.index': '@number',
  'loop.index0': '@index',
};

/** `{{ line.name }}` within `{% for line in lines %}`: it can be read here, and would print nothing. */
export function insteadOfOutput(path: string, around: readonly string[]): string | undefined {
  if (around.length === 0) return undefined;
  if (Object.hasOwn(COUNTS, path)) return `Write {{${COUNTS[path] ?? ''}}}.`;
  const [first = '', ...rest] = path.split('.');
  const at = around.lastIndexOf(first);
  if (at === -1) return undefined;
  const up = around.length - 1 - at;
  if (rest.length === 0) return `Write {{${up === 0 ? 'this' : `${'../'.repeat(up - 1)}..`}}}.`;
  return `Write {{${'../'.repeat(up)}${rest.join('.')}}}: an item has no name.`;
}
