import { insteadOfCarbone, insteadOfOtherCarbone } from './carbone.ts';
import { LEAVE_OUT, asTag, insteadOfCommand, loopOf, noEquivalent } from './docx-templates.ts';
import { insteadOfOutput, insteadOfStatement, loopOfStatement } from './jinja.ts';
import { inWords } from './compile/tags/conditions.ts';
import { keyInTag } from './paths.ts';

/**
 * How a tag of another language is recognised. A sure sign is enough alone, and a likely one outside of listings; hints are
 * ordinary text too, and two different ones have to be in a document; what is weak counts only beside the others.
 */
export interface Sign {
  readonly weight: 'sure' | 'likely' | 'hint' | 'weak';
  /** Global. Bounded everywhere: a paragraph can have megabytes. */
  readonly pattern: RegExp;
  /** A sentence on what to write for this very tag, given the loops that it stands in. Undefined: it is none. */
  readonly instead: (groups: readonly string[], around: readonly string[]) => string | undefined;
  /** Looked for inside of our own `{{…}}` instead of beside them: it can be read, and means something else. */
  readonly inTags?: true;
}

export interface Dialect {
  readonly name: string;
  readonly signs: readonly Sign[];
  /** Where its tags name the item of a loop: what a tag opens or closes. */
  readonly loopOf?: (source: string) => { readonly opens: string } | 'closes' | undefined;
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_]*){0,8}';
/** A name of three letters at least: `{d}` and `{x}` are mathematics. */
const LONG_NAME = '[\\p{L}_][\\p{L}\\p{N}_]{2,60}(?:\\.[\\p{L}_][\\p{L}\\p{N}_]*){0,8}';
/** As fields are called and words are not: `order.total`, `first_name`, `firstName`. */
const FIELD_NAME =
  '(?:[\\p{L}_][\\p{L}\\p{N}_]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_]*){1,8}|\\p{L}[\\p{L}\\p{N}]*(?:_[\\p{L}\\p{N}]+){1,8}|\\p{L}\\p{Ll}{0,40}(?:\\p{Lu}[\\p{Ll}\\p{N}]+){1,8})';
const WORDS = '\\p{L}[\\p{L}\\p{N}]{1,30}(?: [\\p{L}\\p{N}]{1,30}){1,2}';
/** Sets have short names, and constants are capitals. */
const WORD = '\\p{L}\\p{Ll}{3,40}\\p{N}{0,3}';
/** Neither in a URL nor in code. */
const LONE = '(?<![\\w$#\\\\/?&{"\'`]|= ?)\\{ ?';
const LONE_END = '\\}(?![}\\w"\'`])';

type Instead = (...groups: string[]) => string;
const sign = (weight: Sign['weight'], pattern: string, instead: Instead, flags = 'gu'): Sign => ({
  weight,
  pattern: new RegExp(pattern, flags),
  instead: (groups) => instead(...groups),
});
const within = (
  weight: Sign['weight'],
  pattern: string,
  instead: (group: string, around: readonly string[]) => string | undefined,
  flags = 'gu',
): Sign => ({
  weight,
  pattern: new RegExp(pattern, flags),
  instead: ([group = ''], around) => instead(group, around),
});
const inTags = (pattern: string, instead: Instead): Sign => ({
  ...sign('sure', pattern, instead),
  inTags: true,
});

const END = 'Write {{/each}} or {{/if}}, as it was opened.';
const loop = (list: string) => `Write {{#each ${list}}} … {{/each}}.`;

/** The element that a tag repeats, as easy-template-x says it. */
const LEVELS: Readonly<Record<string, string>> = {
  paragraph: 'paragraph',
  row: 'row',
  content: 'inline',
};

/** A section of docxtemplater: a list, or with its angular parser a condition. Of easy-template-x, whose names may have spaces. */
function insteadOfSection(name: string, rest: string): string {
  const [, level] =
    /^ ?\[loopOver: ?["\u201c\u201d'](\w+)["\u201c\u201d']\]$/i.exec(rest.trimEnd()) ?? [];
  if (level !== undefined && Object.hasOwn(LEVELS, level))
    return `Write {{#each ${name} by=${LEVELS[level] ?? ''}}} … {{/each}}.`;
  if (/^(?: [\p{L}\p{N}]+){1,3} ?$/u.test(rest) && !/ (?:and|or|not|in) /.test(rest))
    return insteadOfSection(keyInTag(`${name}${rest}`.trim()), '');
  if (rest.trim() !== '') {
    const words = inWords(`${name}${rest}`);
    if (words !== undefined) return `Write {{#if ${words}}} … {{/if}}.`;
    return `There is no equivalent of "${name}${rest}": what it works out comes with the data.`;
  }
  const counted = /^(.+)\.length$/.exec(name)?.[1];
  if (counted !== undefined) return `Write {{#if ${counted}}} … {{/if}}: an empty list is not so.`;
  return `Write {{#each ${name}}} … {{/each}}, or {{#if ${name}}} … {{/if}} where it is no list.`;
}

const withoutDollars = (text: string) => text.replace(/\$!?\{?|\}/g, '').trim();

export const DIALECTS: readonly Dialect[] = [
  {
    name: 'S-Docs',
    signs: [
      inTags('^\\{\\{!((?:\\w+\\.){1,8}\\w+)(?: [MdyhHmsaE#0$,./: -]{1,40})?\\}\\}$', (path) => {
        return `Here it is a comment and prints nothing. Write {{${path}}}.`;
      }),
    ],
  },
  {
    name: 'OmniStudio',
    signs: [
      inTags('^\\{\\{IMG_([\\w.]+)\\}\\}$', (path) => `Write {{image ${path} width=4cm}}.`),
      inTags('^\\{\\{RTB_([\\w.]+)\\}\\}$', (path) => `Write {{html ${path}}}.`),
    ],
  },
  {
    name: 'Conga',
    signs: [
      sign('sure', '«Table(?:Start|Group):([\\w.]{1,80})»', loop),
      sign('sure', '«TableEnd:[\\w.]{1,80}»', () => 'Write {{/each}}.'),
    ],
  },
  {
    name: 'a mail merge of Syncfusion or Aspose',
    signs: [
      sign('sure', '«(?:BeginGroup|RangeStart):([\\w.]{1,80})»', loop),
      sign('sure', '«(?:EndGroup|RangeEnd):[\\w.]{1,80}»', () => 'Write {{/each}}.'),
      sign(
        'sure',
        '«Image:([\\w.]{1,80})[^»]{0,40}»',
        (path) => `Write {{image ${path} width=4cm}}.`,
      ),
    ],
  },
  {
    name: 'docx-templates',
    loopOf,
    signs: [
      within(
        'sure',
        '\\+\\+\\+ ?((?:INS|EXEC|QUERY|FOR|END-FOR|IF|END-IF|IMAGE|LINK|HTML|ALIAS|CMD_NODE)\\b(?:[^+]|\\+(?!\\+\\+)){0,200}|[=!$*] ?[\\w$](?:[^+]|\\+(?!\\+\\+)){0,200})(?:\\+\\+\\+|$)',
        insteadOfCommand,
        'giu',
      ),
      within(
        'sure',
        '(?<!\\{)\\{((?:INS|FOR|END-FOR|IF|END-IF)\\b[^{}]{0,200})\\}(?!\\})',
        insteadOfCommand,
      ),
      // A line of news has spaces around its +++.
      within('likely', `\\+\\+\\+(${NAME})\\+\\+\\+`, insteadOfCommand),
      within('likely', `\\+\\+\\+ ?(${FIELD_NAME}) ?\\+\\+\\+`, insteadOfCommand),
      within('weak', '\\+\\+\\+([^+]{1,200})\\+\\+\\+', insteadOfCommand),
    ],
  },
  {
    name: 'Jinja',
    loopOf: loopOfStatement,
    signs: [
      within(
        'sure',
        '\\{%((?:p|tr|tc|r)? ?-?\\s*(?:if|for|else|elif|endif|endfor|set|macro|block|include|hm|vm|colspan|cellbg|raw|filter|with)\\b[^{}]{0,200})%\\}',
        insteadOfStatement,
      ),
      sign('sure', '\\{#[^{}#]{1,200}#\\}', () => 'Write {{! … }} for a comment.'),
      // Our own tag, and a field of an item that has no name here.
      {
        ...within('sure', `^\\{\\{-? ?(${NAME}) ?-?\\}\\}$`, insteadOfOutput),
        inTags: true,
      },
    ],
  },
  {
    name: 'Velocity or FreeMarker',
    signs: [
      sign('sure', '#foreach ?\\( ?\\$\\w+ in \\$!?\\{?([\\w.]{1,80})\\}? ?\\)', loop),
      sign('sure', '#(?:else)?if ?\\( ?(\\$[^()]{1,120})\\)', (test) =>
        asTag(`if ${withoutDollars(test)}`),
      ),
      sign('sure', '[[<]#(?:list|foreach) ([\\w.]{1,80}) as \\w+ ?[\\]>]', loop),
      sign('sure', '[[<]#(?:else)?if ([^\\]>]{1,120})[\\]>]', (test) => asTag(`if ${test}`)),
      sign('sure', '[[<]/#(?:list|if|foreach)[\\]>]', () => END),
      sign('sure', '[[<]#(?:assign|macro|include)\\b[^\\]>]{0,120}[\\]>]', () => LEAVE_OUT),
      sign('sure', `«\\$!?\\{?(${NAME})\\}?»`, asTag),
      sign('hint', `(?<![\\w/"'\`])\\$!?\\{(${LONG_NAME})\\}(?![\\w/"'\`])`, asTag),
      sign('weak', `\\$!?\\{(${NAME})\\}`, asTag),
      sign('weak', `\\$!?([a-z]\\w{0,40}\\.[\\p{L}_][\\w.]{0,80}\\w)`, asTag),
      sign('weak', '#end\\b', () => END),
    ],
  },
  {
    name: 'a merge field of Salesforce',
    signs: [
      sign('sure', '\\{!\\$?((?:\\w+\\.){1,8}\\w+)\\}', asTag),
      sign('weak', '\\{!\\$?(\\w{1,80})\\}', asTag),
    ],
  },
  {
    name: 'Carbone',
    signs: [
      sign(
        'sure',
        '(?<!\\{)\\{d[\\w.[\\]]{0,120}\\[i ?\\+ ?1\\][^{}]{0,120}\\}',
        () => 'Leave it out with its row or paragraph: {{/each}} ends what is repeated.',
      ),
      sign(
        'sure',
        '(?<!\\{)\\{d(?:[\\w.]{0,80}\\[i\\]){0,4}\\.?([\\w.]{0,80})\\[i\\]\\.?([\\w.]{0,80})([^{}]{0,120})\\}',
        (list, field, formatters) => {
          const around =
            list === ''
              ? 'The data of a document is an object: give the list a name in it, and write {{#each Rows}} before what is repeated'
              : `Write {{#each ${list}}} before what is repeated`;
          if (formatters.trim() === '')
            return `${around}, {{${field || 'this'}}} here and {{/each}} behind it.`;
          return `${around} and {{/each}} behind it. ${insteadOfCarbone(field || 'this', formatters)}`;
        },
      ),
      sign('sure', '(?<!\\{)\\{d\\.([\\w.]{1,80})(:[^{}]{1,160})?\\}', insteadOfCarbone),
      sign('sure', '(?<!\\{)\\{d([.[][^{}]{1,240})\\}', insteadOfOtherCarbone),
      sign(
        'weak',
        '(?<!\\{)\\{#(\\w{1,40}) ?= ?(?:d\\.)?([^{}]{1,160})\\}',
        (alias, meant) => `Leave it out, and where {$${alias}} stands: ${asTag(meant)}`,
      ),
      sign(
        'weak',
        '(?<!\\{)\\{\\$(\\w{1,40})\\}',
        (alias) => `Write here what {#${alias} = …} says, in our tags.`,
      ),
      sign(
        'weak',
        '(?<!\\{)\\{t\\(([^{}]{1,160})\\)\\}',
        (text) => `Write the words themselves: ${text}.`,
      ),
      sign('weak', '(?<!\\{)\\{((?:bind\\w+|o\\.)[^{}]{1,160})\\}', noEquivalent),
      sign('weak', '(?<!\\{)\\{c\\.([\\w.]{1,80})([^{}]{0,160})\\}', insteadOfCarbone),
    ],
  },
  {
    name: 'a language with <<x>>',
    signs: [
      sign('sure', '<<foreach \\[(?:\\w+ )?in ([\\w.]{1,80})\\]>>', loop),
      sign('sure', '<</(?:foreach|if)>>', () => END),
      sign('sure', '<<if \\[([^\\]]{1,120})\\]>>', (test) => asTag(`if ${test}`)),
      sign('sure', '<<\\[([\\w.]{1,80})\\][^<>]{0,60}>>', asTag),
      sign('sure', '<<(?:rs|rr)_([\\w.]{1,80})>>', loop),
      sign('sure', '<<cs_([\\w.]{1,80})>>', (test) => `Write {{#if ${test}}} … {{/if}}.`),
      sign('sure', '<<e[sr]_[\\w.]{0,80}>>', () => END),
      // Two of UML's stereotypes are in any document on use cases.
      sign(
        'hint',
        `<<(?!(?:includes?|extends?|uses|interface|abstract|actor|entity|enum|enumeration|service|component|boundary|control|utility|create|call|instantiate|import|access|realize|trace)>>)(${LONG_NAME})>>`,
        asTag,
      ),
      sign('weak', `<<(${NAME}(?: ${NAME}){0,3})>>`, asTag),
    ],
  },
  {
    name: 'docxtemplater',
    signs: [
      sign('likely', `(?<!\\{)\\{# ?(${NAME})( [^{}]{0,80})?\\}(?!\\})`, insteadOfSection),
      sign(
        'likely',
        `(?<!\\{)\\{\\^ ?(${NAME})\\}(?!\\})`,
        (x) => `Write {{#unless ${x}}} … {{/unless}}.`,
      ),
      sign('hint', `(?<!\\{)\\{/ ?(?:${NAME})?\\}(?!\\})`, () => END),
      sign('sure', `(?<!\\{)\\{-w:(p|tr)\\w* (${NAME})\\}(?!\\})`, (what, list) => {
        return `Write {{#each ${list} by=${what === 'p' ? 'paragraph' : 'row'}}} … {{/each}}.`;
      }),
      sign('likely', `(?<!\\{)\\{@(${NAME})\\}(?!\\})`, (x) => `Write {{html ${x}}}.`),
      // Nobody writes a.b, a_b or aB in braces but for a field, and hardly a word or three.
      sign('likely', `${LONE}(${FIELD_NAME}) ?${LONE_END}`, asTag),
      sign('likely', `${LONE}(${WORDS}|${WORD}) ?${LONE_END}`, asTag),
      sign('likely', `(?<!\\{)\\{%%?(${NAME})\\}(?!\\})`, (x) => `Write {{image ${x} width=4cm}}.`),
      sign('hint', `(?<![\\w$#\\\\/?&{"'\`]|= ?)\\{ ?(${LONG_NAME}) ?\\}(?![}\\w"'\`])`, asTag),
      sign('weak', '(?<![\\w$#\\\\{])\\{ ?([\\p{L}_.][^{};:,]{0,80}?) ?\\}(?!\\})', (x) =>
        x === '.' ? 'Write {{this}}.' : asTag(x),
      ),
    ],
  },
];
