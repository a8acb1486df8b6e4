import { adviceOn } from './compile/tags/advice.ts';
import { inWords } from './compile/tags/conditions.ts';
import { parseTag } from './compile/tags/expression.ts';

/** Commands of docx-templates in our tags: `+++INS $line.name+++` is `{{name}}`. */

export const LEAVE_OUT =
  'Leave it out: a template runs no code, and what it works out comes with the data.';

/** For what would print something: left out, its text would be missing in every document. */
export function noEquivalent(source: string): string {
  return `There is no equivalent of "${source.trim()}": what it works out comes with the data, as a field of its own.`;
}

/** The tag in our braces if it can be read so, and else what is said of such a tag. */
export function asTag(inner: string): string {
  const text = inner.trim();
  try {
    parseTag(text);
    return `Write {{${text}}}.`;
  } catch {
    return adviceOn(text) ?? noEquivalent(text);
  }
}

const PATH = '[\\p{L}_][\\p{L}\\p{N}_]*(?:\\.[\\p{L}_][\\p{L}\\p{N}_]*)*';
const IS_PATH = new RegExp(`^${PATH}$`, 'u');
const IS_VALUE = new RegExp(`^(?:${PATH}|"[^"]*")$`, 'u');

/** A loop over what is worked out loses its rows when it is left out. */
export function eachOf(list: string, variable: string, source = list): string {
  const inside = `inside, {{Name}} is a field of the item, which ${variable}.Name is there, and {{this}} the item itself`;
  if (IS_PATH.test(list) || /^(?:\.\.\/|@root\.)/.test(list))
    return `Write {{#each ${list}}}: ${inside}.`;
  return `There is no equivalent of "${source.trim()}": such a list comes with the data, and {{#each Lines}} … {{/each}} repeats it; ${inside}.`;
}

/** The names of the items of loops there, the innermost last. */
export function loopOf(source: string): { readonly opens: string } | 'closes' | undefined {
  const command = source.replace(/^[+{ ]+/, '');
  if (/^END-FOR\b/i.test(command)) return 'closes';
  const [, variable] = /^FOR\s+(\S+)\s+IN\b/i.exec(command) ?? [];
  return variable === undefined ? undefined : { opens: variable };
}

/** An item has no name here: of the innermost loop $line.name is `{{name}}` and $line `{{this}}`, one further out `{{../name}}`. */
function withoutVariables(text: string, around: readonly string[]): string {
  return text
    .replace(/\$idx\b/g, '@index')
    .replace(/\$([\p{L}\p{N}_]+)(\.?)/gu, (_, name: string, dot: string) => {
      const at = around.lastIndexOf(name);
      const up = at === -1 ? 0 : around.length - 1 - at;
      if (up === 0) return dot === '' ? 'this' : '';
      return dot === '' ? `${'../'.repeat(up - 1)}..` : '../'.repeat(up);
    });
}

/** A command: `FOR a IN b`, `INS x`, `= x`, `$a.name`. `around`: the loops that it stands in. */
export function insteadOfCommand(command: string, around: readonly string[]): string {
  const given = command.trim();
  const [, name = '', rest = ''] =
    /^((?:END-FOR|END-IF|FOR|IF|INS|IMAGE|LINK|HTML|ALIAS|EXEC|QUERY|CMD_NODE)(?![\w(.])|[=!*])\s*([^]*)$/i.exec(
      given,
    ) ?? ['', '', given];
  const text = withoutVariables(rest, around).trim();
  switch (name.toUpperCase()) {
    case 'EXEC':
    case 'QUERY':
    case 'CMD_NODE':
    case '!':
      return LEAVE_OUT;
    case 'END-FOR':
      return 'Write {{/each}}.';
    case 'END-IF':
      return 'Write {{/if}}.';
    case 'ALIAS': {
      const [, alias = '', meant = ''] = /^(\S+)\s+([^]*)$/.exec(rest) ?? [];
      return `Leave it out, and where *${alias} stands: ${insteadOfCommand(meant, around)}`;
    }
    case '*':
      return `Write here what "ALIAS ${rest.trim()}" says, in our tags.`;
    case 'FOR': {
      const [, variable = 'item', list = ''] = /^(\S+)\s+IN\s+([^]*)$/i.exec(rest) ?? [];
      return eachOf(withoutVariables(list, around).trim(), `$${variable}`, list);
    }
    case 'IF':
      return asCondition(text);
    case 'LINK':
      return asLink(text);
    case 'HTML':
      return IS_PATH.test(text)
        ? `Write {{html ${text}}}.`
        : 'Write {{html Value}}; the HTML comes with the data.';
    case 'IMAGE':
      return asImage(text);
    default:
      return asValue(text);
  }
}

function asCondition(text: string): string {
  if (text === '') return 'It needs a condition: {{#if eq Status "open"}}.';
  const words = inWords(text) ?? text;
  try {
    parseTag(`#if ${words}`);
    return `Write {{#if ${words}}} … {{/if}}.`;
  } catch {
    return `There is no equivalent of "${text}": whether it is so comes with the data, and {{#if Field}} … {{/if}} asks for it.`;
  }
}

function asLink(text: string): string {
  const [, url = ''] = /\burl:\s*("[^"]*"|'[^']*'|[^,}]+)/.exec(text) ?? [];
  const [, label = ''] = /\blabel:\s*("[^"]*"|'[^']*'|[^,}]+)/.exec(text) ?? [];
  const [address, words] = [url, label].map((part) => part.trim().replaceAll("'", '"'));
  if (address === undefined || words === undefined || !IS_VALUE.test(address))
    return 'Write {{link Url "text"}}; an address that is put together comes with the data.';
  return `Write {{link ${address}${IS_VALUE.test(words) ? ` ${words}` : ''}}}.`;
}

function asImage(text: string): string {
  const inside = /^qr\(([^()]+)\)$/.exec(text)?.[1]?.trim() ?? '';
  const code = inside.replace(/^["'`]|["'`]$/g, '');
  if (code !== '' && !/["'`]/.test(code)) {
    const value = IS_PATH.test(code) && !/["'`]/.test(text) ? code : `"${code}"`;
    return `Write {{qr ${value} size=3cm}}.`;
  }
  const field = IS_PATH.test(text) ? text : 'Photo';
  return `Write {{image ${field} width=4cm}}; the picture comes with the data, as base64 or an address.`;
}

function asValue(text: string): string {
  const counted = /^(.+)\.length$/.exec(text)?.[1];
  if (counted !== undefined && IS_PATH.test(counted)) return `Write {{count ${counted}}}.`;
  if (/^[[{("'`\d]/.test(text)) return noEquivalent(text);
  return asTag(text);
}
