import { insteadOfCarbone } from './carbone.ts';
import { adviceOn } from './compile/tags/advice.ts';
import { inWords } from './compile/tags/conditions.ts';
import { parseTag } from './compile/tags/expression.ts';

/**
 * How a tag of another language is recognised. A sure sign is enough alone; hints are ordinary text too, and two different ones
 * have to be in a document; what is weak counts only beside the others.
 */
export interface Sign {
  readonly weight: 'sure' | 'hint' | 'weak';
  /** Global. Bounded everywhere: a paragraph can have megabytes. */
  readonly pattern: RegExp;
  /** A sentence on what to write for this very tag. */
  readonly instead: (...groups: string[]) => string;
  /** Looked for inside of our own `{{…}}` instead of beside them: it can be read, and means something else. */
  readonly inTags?: true;
}

export interface Dialect {
  readonly name: string;
  readonly signs: readonly Sign[];
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_]*){0,8}';
/** Of three letters at least: `{d}` and `{x}` are mathematics. */
const LONG_NAME = '[\\p{L}_][\\p{L}\\p{N}_]{2,60}(?:\\.[\\p{L}_][\\p{L}\\p{N}_]*){0,8}';
const sign = (
  weight: Sign['weight'],
  pattern: string,
  instead: Sign['instead'],
  flags = 'gu',
): Sign => ({ weight, pattern: new RegExp(pattern, flags), instead });
const inTags = (pattern: string, instead: Sign['instead']): Sign => ({
  ...sign('sure', pattern, instead),
  inTags: true,
});

const LEAVE_OUT =
  'Leave it out: a template runs no code, and what it works out comes with the data.';
const END = 'Write {{/each}} or {{/if}}, as it was opened.';
const loop = (list: string) => `Write {{#each ${list}}} … {{/each}}.`;

/** The tag in our braces if it can be read so, and else what is said of such a tag. */
function asTag(inner: string): string {
  const text = inner.trim();
  try {
    parseTag(text);
    return `Write {{${text}}}.`;
  } catch {
    return adviceOn(text) ?? LEAVE_OUT;
  }
}

/** A command of docx-templates: `FOR a IN b`, `INS x`, `= x`, `$a.name`. */
function asCommand(command: string): string {
  // A variable is the item of its loop, which has no name here: $line.name is {{name}}, and $line itself {{this}}.
  const text = command
    .trim()
    .replace(/\$idx\b/g, '@index')
    .replace(/\$\w+\./g, '')
    .replace(/\$\w+/g, 'this');
  if (/^(?:EXEC|QUERY|CMD_NODE|ALIAS|!|\*)/.test(text)) return LEAVE_OUT;
  if (/^LINK\b/.test(text)) return 'Write {{link Url "text"}}.';
  if (/^HTML\b/.test(text)) return 'Write {{html Value}}.';
  return asTag(text.replace(/^(?:INS\s+|=\s*)/, ''));
}

/** A section of docxtemplater: a list, or with its angular parser a condition. */
function insteadOfSection(name: string, rest: string): string {
  if (rest.trim() !== '') {
    const words = inWords(`${name}${rest}`);
    if (words !== undefined) return `Write {{#if ${words}}} … {{/if}}.`;
    return `There is no equivalent of "${name}${rest}": what it works out comes with the data.`;
  }
  const counted = /^(.+)\.length$/.exec(name)?.[1];
  if (counted !== undefined) return `Write {{#if ${counted}}} … {{/if}}: an empty list is not so.`;
  return `Write {{#each ${name}}} … {{/each}}, or {{#if ${name}}} … {{/if}} where it is no list.`;
}

/** Of Jinja, without the letters by which docxtpl says what is repeated. */
function asStatement(statement: string): string {
  const text = statement.replace(/^(?:p|tr|tc|r)? ?-?\s*|[-\s]*$/g, '').trim();
  return /^(?:if|for|elif|else|endif|endfor)\b/.test(text) ? asTag(text) : LEAVE_OUT;
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
    signs: [
      sign(
        'sure',
        '\\+\\+\\+ ?((?:INS|EXEC|QUERY|FOR|END-FOR|IF|END-IF|IMAGE|LINK|HTML|ALIAS|CMD_NODE)\\b[^+]{0,200}|[=!$*] ?[\\w$][^+]{0,200})(?:\\+\\+\\+|$)',
        asCommand,
      ),
      sign(
        'sure',
        '(?<!\\{)\\{((?:INS|FOR|END-FOR|IF|END-IF)\\b[^{}]{0,200})\\}(?!\\})',
        asCommand,
      ),
      sign('weak', '\\+\\+\\+([^+]{1,200})\\+\\+\\+', asCommand),
    ],
  },
  {
    name: 'Jinja',
    signs: [
      sign(
        'sure',
        '\\{%((?:p|tr|tc|r)? ?-?\\s*(?:if|for|else|elif|endif|endfor|set|macro|block|include|hm|vm|colspan|cellbg|raw|filter|with)\\b[^{}]{0,200})%\\}',
        asStatement,
      ),
      sign('sure', '\\{#[^{}#]{1,200}#\\}', () => 'Write {{! … }} for a comment.'),
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
          const around = `Write {{#each ${list || 'this'}}} before what is repeated`;
          if (formatters.trim() === '')
            return `${around}, {{${field || 'this'}}} here and {{/each}} behind it.`;
          return `${around} and {{/each}} behind it. ${insteadOfCarbone(field || 'this', formatters)}`;
        },
      ),
      sign('sure', '(?<!\\{)\\{d\\.([\\w.]{1,80})(:[^{}]{1,160})?\\}', insteadOfCarbone),
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
      sign('hint', `(?<!\\{)\\{# ?(${NAME})( [^{}]{0,80})?\\}(?!\\})`, insteadOfSection),
      sign(
        'hint',
        `(?<!\\{)\\{\\^ ?(${NAME})\\}(?!\\})`,
        (x) => `Write {{#unless ${x}}} … {{/unless}}.`,
      ),
      sign('hint', `(?<!\\{)\\{/ ?(?:${NAME})?\\}(?!\\})`, () => END),
      sign('sure', `(?<!\\{)\\{-w:(p|tr)\\w* (${NAME})\\}(?!\\})`, (what, list) => {
        return `Write {{#each ${list} by=${what === 'p' ? 'paragraph' : 'row'}}} … {{/each}}.`;
      }),
      sign('hint', `(?<!\\{)\\{@(${NAME})\\}(?!\\})`, (x) => `Write {{html ${x}}}.`),
      sign('hint', `(?<!\\{)\\{%%?(${NAME})\\}(?!\\})`, (x) => `Write {{image ${x} width=4cm}}.`),
      sign('hint', `(?<![\\w$#\\\\/?&{"'\`]|= ?)\\{ ?(${LONG_NAME}) ?\\}(?![}\\w"'\`])`, asTag),
      sign('weak', '(?<![\\w$#\\\\{])\\{ ?([\\p{L}_.][^{};:,]{0,80}?) ?\\}(?!\\})', (x) =>
        x === '.' ? 'Write {{this}}.' : asTag(x),
      ),
    ],
  },
];
