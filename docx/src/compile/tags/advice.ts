import { patternOfWord } from '../../helpers/date-pattern.ts';
import { HELPERS } from '../../helpers/names.ts';
import { keysOf, keyInTag } from '../../paths.ts';
import { editDistance } from '../../shape.ts';
import { inWords } from './conditions.ts';

type Advice = readonly [pattern: RegExp, sentence: (...groups: string[]) => string | undefined];

const EACH = 'inside, {{Name}} is a field of the item and {{this}} the item itself';
const ARITHMETIC =
  'There is no arithmetic. Ask for the result in the data; {{sum Lines "Amount"}} adds up a list.';

/**
 * Tags of authors who know another language, or who guess, and what to write instead. Read from the top: the first
 * pattern with a sentence is the one. Only tags that could not be read come here.
 */
const ADVICE: readonly Advice[] = [
  [/^$/, () => 'The tag is empty. Write a field between the braces, as in {{Name}}.'],
  [
    /^\{ ?(.*)$/,
    (x) => `Write two braces: {{${x}}}. Values are plain text; {{html ${x}}} takes rich text.`,
  ],

  // Blocks
  [/^# ?IF_(\S+)$/, (x) => `This is OmniStudio. Write {{#if ${x}}} … {{/if}}.`],
  [/^\/ ?IF_(\S+)$/, () => 'This is OmniStudio. Write {{/if}}.'],
  [
    /^Table(?:Start|Group):(.+)$/i,
    (x) => `This is Conga. Write {{#each ${inTag(x)}}} … {{/each}}.`,
  ],
  [/^TableEnd:(.+)$/i, () => 'This is Conga. Write {{/each}}.'],
  [/^\^$/, () => 'Write {{else}}.'],
  [
    /^\^ ?(.+)$/,
    (x) => `Write {{#unless ${inTag(x)}}} … {{/unless}}, or {{else}} inside {{#each ${inTag(x)}}}.`,
  ],
  [
    /^\? ?(.*(?:[=<>!&|]| (?:or|and|eq|ne|gt|lt) )[^]*)$/,
    (x) => {
      const words = inWords(x.replaceAll("'", '"'));
      return words === undefined || /[()]{2}|\.\w+ *\(/.test(words)
        ? `There is no equivalent of "${x}": whether it is so comes with the data, and {{#if Field}} … {{/if}} asks for it.`
        : `This is poi-tl. Write {{#if ${words}}} … {{/if}}.`;
    },
  ],
  [
    /^\? ?(.+)$/,
    (x) =>
      `This is poi-tl. Write {{#if ${inTag(x)}}} … {{/if}}, or {{#each ${inTag(x)}}} … {{/each}}.`,
  ],
  [
    /^([#/]) ?(each|if|unless)\b(.*)$/i,
    (sign, name, rest) =>
      name === name.toLowerCase()
        ? undefined
        : `Blocks are written in small letters: {{${sign}${name.toLowerCase()}${rest}}}.`,
  ],
  [
    /^# ?with (\S+)$/,
    (x) => `There is no {{#with}}. Leave it out and write the whole path, as in {{${x}.Name}}.`,
  ],
  [/^\/ ?with$/, () => 'There is no {{#with}}. Leave {{/with}} out.'],
  [/^#? ?(?:each|for|foreach) \S+ in (\S+)$/i, (x) => `Write {{#each ${x}}}: ${EACH}.`],
  [/^# ?each (\S+) as\b/, (x) => `Write {{#each ${x}}}: ${EACH}.`],
  [
    /^# ?each (\S+) (?!by\b)(\w+) ?=/,
    (x, option) =>
      `{{#each ${x}}} has no option "${option}", only "by". A list comes sorted and filtered with the data.`,
  ],
  [/^#? ?(?:for|foreach|loop|repeat) (\S+)$/i, (x) => `Write {{#each ${x}}} … {{/each}}.`],
  [
    /^# ?(?!(?:each|if|unless)\b)([^"=]+)$/,
    (x) =>
      `Write {{#each ${inTag(x)}}} … {{/each}} to repeat it, or {{#if ${inTag(x)}}} … {{/if}} to show it only then.`,
  ],
  [/^\//, () => 'Write {{/each}}, {{/if}} or {{/unless}}: the word that the block began with.'],
  [
    /^(if|unless) (.+)$/i,
    (name, x) =>
      `Write {{#${name.toLowerCase()} ${inWords(x) ?? x}}} … {{/${name.toLowerCase()}}}.`,
  ],
  [/^else$/i, () => 'Write {{else}}, in small letters.'],
  [/^(?:else ?if|elsif|elif)$/i, () => 'It needs a condition: {{else if eq Status "open"}}.'],
  [/^(?:elseif|elsif|elif) (.+)$/i, (x) => `Write {{else if ${inWords(x) ?? x}}}.`],
  [/^end-?(if|unless)\b/i, (name) => `Write {{/${name.toLowerCase()}}}.`],
  [/^end-?(?:for|each|foreach)\b/i, () => 'Write {{/each}}.'],
  [
    /^(# ?(?:if|unless)|else if) (.+)$/,
    (opener, x) => {
      const words = inWords(x);
      return words && `Write {{${opener} ${words}}}.`;
    },
  ],

  // Values
  [/^= ?#this$/, () => 'This is poi-tl. Write {{this}}.'],
  [/^(?:INS |= ?)([^\s#(]+)$/, (x) => `This is docx-templates. Write {{${x}}}.`],
  [/^(?:IMAGE|%) ?(\w*)/, (x) => `Write {{image ${x || 'Photo'} width=4cm}}.`],
  [
    /^(?:r|p|tc|tr) (\S+)$/,
    (x) =>
      `This is docxtpl. Write {{${x}}}, or {{html ${x}}} for rich text; another document cannot be put in.`,
  ],
  [/^(\S+) \\@ ?"?([^"]+)"?$/, (x, picture) => `Write {{date ${x} "${patternOfWord(picture)}"}}.`],
  [/^(\S+) \\# ?/, (x) => `Write {{number ${x} decimals=2}}, or {{currency ${x} "EUR"}}.`],
  [/^[+>] ?/, () => 'Another document cannot be put in with a tag. Write its text here.'],
  [/^\* ?(\S+)$/, (x) => `Write {{#each ${x}}}{{this}}{{/each}} in an item of a list.`],
  [/^& ?(\S+)$/, (x) => `Write {{${x}}}.`],
  [/^(?:~ ?(.*?) ?~?|(.*?) ?~)$/, (a, b) => `Write {{${a || b}}}, without "~".`],
  [
    /^@([\p{L}\p{N}_.]+)$/u,
    (x) => `There are @index, @number, @first, @last and @root. A picture is {{image ${x}}}.`,
  ],
  [/^(\S+) ?(?:\|\||\?\?|\?:) ?(.+)$/, (x, other) => `Write {{default ${x} ${other}}}.`],
  [
    /^(\S+?) ?\| ?(?:e|escape|safe|string)(?:\(\))?$/,
    (x) => `Write {{${x}}}: values are plain text.`,
  ],
  [/^(\S+?) ?\| ?(\w+)(?:[(:] ?([^)]*)\)?)?$/, (x, name, args) => asHelper(x, name, args)],
  [/^([\w$.[\]]+?)\.(\w+)\((.*)\)$/, (x, name, args) => asHelper(x, name, args)],
  [/^([^"'?]+?) ?\?.*:/, (x) => `Write {{#if ${inWords(x) ?? x}}} … {{else}} … {{/if}}.`],
  [/^(.+?)\.?\[(?:"(.+)"|'(.+)')\]$/, (x, a, b) => `Write {{${x}.[${a || b}]}}.`],
  [/^\[["'](.+)["']\]$/, (x) => `A name in brackets has no quotes: write {{[${x}]}}.`],
  [
    /^([^[]+)\[[a-z]\w*(?: ?[+-] ?\d+)?\]/i,
    (x) => `Write {{#each ${x}}} … {{/each}} around what is repeated: ${EACH}.`,
  ],
  [/^(?:"\s*"|'\s*')$/, () => 'A text is no field. Write the words, or the space, without braces.'],
  [
    /^new .+|^.+\bnew \w/,
    (x) => `There is no equivalent of "${x}": what it works out comes with the data.`,
  ],
  [/^\w[\w.]*\/\d/, () => ARITHMETIC],
  [
    /^(?:"(.*)"|'(.*)'|(-?\d[\d.]*|true|false|null))$/,
    (a, b, c) =>
      `This is no field. Write {{[${a || b || c}]}} for the field of that name, or the words without braces.`,
  ],
  [
    /^.*?(?:===?|!=|<>|[<>]=?| = ).*$/,
    (x) => {
      const words = inWords(x);
      return words && `A comparison belongs into a condition: {{#if ${words}}} … {{/if}}.`;
    },
  ],
  [/^[\w.$]+ ?[+*×÷] ?\S/, () => ARITHMETIC],
  [/^[\w.$]+ [-–/] \S/, () => ARITHMETIC],
];

/** Helpers under the names that they have elsewhere. */
const ALSO: Readonly<Record<string, string>> = {
  touppercase: 'upper',
  uppercase: 'upper',
  upcase: 'upper',
  ucase: 'upper',
  tolowercase: 'lower',
  lowercase: 'lower',
  downcase: 'lower',
  length: 'count',
  size: 'count',
  format: 'date',
  formatd: 'date',
  strftime: 'date',
  tofixed: 'number',
  round: 'number',
  formatn: 'number',
  formatc: 'currency',
};

/** `Name | upper` and `Name.upper()` as `upper Name`. */
function asHelper(field: string, name: string, args = ''): string {
  const known = ALSO[name.toLowerCase()] ?? name.toLowerCase();
  if (!HELPERS.has(known))
    return `There is no "${name}". A helper stands before its field, as in {{upper ${inTag(field)}}}; there are ${listed()}.`;
  const rest = args.trim() === '' ? '' : ` ${args.trim()}`;
  return `A helper stands before its field: {{${known} ${inTag(field)}${rest}}}.`;
}

function listed(): string {
  return [...HELPERS.keys()].join(', ');
}

/** `Customer.First Name` as `Customer.[First Name]`. */
function inTag(name: string): string {
  const [, before = '', last = ''] = /^(?:((?:[^\s.]+\.)*))(.*)$/.exec(name.trim()) ?? [];
  if (/^(?:\.\.\/|@|this$)/.test(name) || name.includes('[')) return name;
  // A dot at its end, or before a space, belongs to the name: Nr. and Tel. home.
  if (last === '' || /\.\s/.test(name)) return `[${name.trim()}]`;
  return [...keysOf(before).filter((key) => key !== ''), last].map(keyInTag).join('.');
}

/** Longer ones are no slip of a hand, and patterns that look ahead would take their time over a megabyte. */
const LONGEST = 200;

/** The advice for a tag that cannot be read, if there is any. */
export function adviceOn(tag: string): string | undefined {
  if (tag.length > LONGEST) return undefined;
  const text = tag
    .replace(/[\u201c-\u201f\u00ab\u00bb]/g, '"')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/\s+/gu, ' ')
    .trim();
  for (const [pattern, sentence] of ADVICE) {
    const match = pattern.exec(text);
    const [whole = '', ...groups] = match?.map((group) => group ?? '') ?? [];
    const said = match && sentence(...(groups.length === 0 ? [whole] : groups));
    if (said) return said;
  }
  return inBrackets(text);
}

/** Headers of spreadsheets have spaces and signs in them: they are names all the same, in brackets. */
function inBrackets(text: string): string | undefined {
  const [, , rest = ''] = /^(#(?:each|if|unless) |else if )?(.*)$/.exec(text) ?? [];
  const [first = '', ...others] = rest.split(' ');
  if (/["'=]/.test(rest)) return undefined;
  const helper = HELPERS.has(first);
  const name = helper ? others.join(' ') : rest;
  if (inTag(name) === name || !/^[\p{L}\p{N}]/u.test(name) || /[[\]]|\.\.|\w\(/.test(name))
    return undefined;
  const advice = `A name with spaces or signs goes into square brackets: ${inTag(name)}.`;
  if (helper) return `${advice} Or write it as ${HELPERS.get(first)?.usage ?? ''}.`;
  const near = [...HELPERS.keys()].find((known) => editDistance(known, first.toLowerCase()) <= 1);
  return others.length > 0 && near !== undefined
    ? `${advice} Or did you mean the helper "${near}"?`
    : advice;
}
