// What GitHub does with our Markdown and VitePress does not: links by the place of the file, and the same anchors.
// Besides, nothing in a text is a template, and nothing has a style of its own, which the content security policy forbids.

import { existsSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { createCssVariablesTheme } from 'shiki';
import { pagesOf, root } from './pages.mjs';

/** Colours of code by names, which style.css has for light and dark. */
const theme = createCssVariablesTheme({ name: 'millrace', variablePrefix: '--code-' });

const pages = pagesOf();
const LANGUAGES = ['ts', 'js', 'sh', 'json', 'yaml', 'sql', 'ini', 'http', 'xml', 'java'];

/** @type {import('vitepress').MarkdownOptions} */
export const markdown = {
  // `<Job>` in a text is a word, and `{{Number}}` a tag of a template: neither is for Vue.
  html: false,
  attrs: { disable: true },
  // Else "(step 8)" ends in a face. One name that nobody writes: of none, every text would be a match.
  emoji: { defs: { 'no-such-face': '' }, shortcuts: {} },
  anchor: { slugify: anchorOf },
  theme,
  languages: LANGUAGES,
  languageAlias: { apex: 'java' },
  codeTransformers: [{ name: 'classes-for-colours', span: colourByClass }],
  config(md) {
    md.core.ruler.push('links-of-the-repository', lead);
    md.core.ruler.push('languages', nameLanguages);
    const text = md.renderer.rules.text;
    md.renderer.rules.text = (tokens, index, ...rest) =>
      (text?.(tokens, index, ...rest) ?? '').replaceAll('{{', '&#123;&#123;');
    const code = md.renderer.rules.code_inline;
    md.renderer.rules.code_inline = (tokens, index, ...rest) => {
      tokens[index]?.attrSet('v-pre', '');
      return code?.(tokens, index, ...rest) ?? '';
    };
  },
};

/** As GitHub makes it of a heading, so that links of the Markdown lead to the same place here. @param {string} title */
export function anchorOf(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/**
 * `style="color:var(--code-token-string)"` becomes `class="code-token-string"`.
 *
 * @type {NonNullable<import('shiki').ShikiTransformer['span']>}
 */
function colourByClass(node) {
  const { style } = node.properties;
  if (typeof style !== 'string') return;
  delete node.properties['style'];
  for (const [, name] of style.matchAll(/var\(--(code-[\w-]+)\)/g))
    if (name !== undefined) this.addClassToHast(node, name);
  if (style.includes('italic')) this.addClassToHast(node, 'code-italic');
}

/**
 * A block says more than its language to our tests (`sh exit=4`), which would be taken for the number of a line.
 *
 * @param {import('markdown-it').StateCore} state
 */
function nameLanguages(state) {
  for (const token of state.tokens) {
    if (token.type !== 'fence') continue;
    const [language = ''] = token.info.trim().split(' ');
    token.info = [...LANGUAGES, 'apex'].includes(language) ? language : 'txt';
  }
}

/**
 * A link to a page leads to the page; one to another file of the repository names its path, since the site has no copy
 * of it. One that leads nowhere stops the build.
 *
 * @param {import('markdown-it').StateCore} state
 */
function lead(state) {
  const from = relative(root, state.env.realPath ?? state.env.path);
  for (const { children } of state.tokens) {
    for (const [index, token] of (children ?? []).entries()) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null || /^([a-z]+:|#)/.test(href)) continue;
      const [path = '', anchor] = decodeURI(href).split('#');
      const target = posix.normalize(posix.join(dirname(from), path)).replace(/\/$/, '');
      const page = pages.get(target) ?? pages.get(`${target}/README.md`);
      if (page !== undefined) {
        token.attrSet('href', `/${page}${anchor === undefined ? '' : `#${anchor}`}`);
      } else {
        if (!existsSync(join(root, target))) throw new Error(`${from} links to ${target}`);
        const end = children?.slice(index).find(({ type }) => type === 'link_close');
        token.attrs = [
          ['class', 'in-repository'],
          ['title', target],
        ];
        for (const each of [token, end]) if (each !== undefined) each.tag = 'span';
      }
    }
  }
}
