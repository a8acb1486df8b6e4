import { join } from 'node:path';
import { collectScripts } from '../finish.mjs';
import { markdown } from '../markdown.mjs';
import { leftOut, pagesOf, root, sidebar } from '../pages.mjs';

/** Where the server serves it (server/src/docs/site.ts). */
const BASE = '/docs/';

const early = collectScripts(BASE);

/** @type {import('vitepress').UserConfig<import('vitepress').DefaultTheme.Config>} */
const config = {
  lang: 'en',
  title: 'Millrace',
  description: 'A job queue, a document factory and a report runner in one process',
  base: BASE,
  srcDir: root,
  srcExclude: leftOut(),
  rewrites: Object.fromEntries(pagesOf()),
  outDir: join(import.meta.dirname, '../dist'),
  cleanUrls: true,
  // A file instead of a script in each page, which the content security policy would refuse.
  metaChunk: true,
  transformHtml: early.take,
  buildEnd: ({ outDir }) => early.write(outDir),
  // Instead of a style, which the policy would refuse.
  contentProps: { class: 'text' },
  // Changing the theme without it would need a style element.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${BASE}icon.svg` }]],
  // Those of the tutorials lead to the reader's own server.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  markdown,
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local', options: { detailedView: true } },
    nav: [
      { text: 'First job', link: '/first-job' },
      { text: 'Command line', link: '/cli' },
      { text: 'API', link: '/reference', target: '_self' },
      { text: 'Glossary', link: '/glossary' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3] },
    docFooter: { prev: 'Before', next: 'Next' },
    notFound: {
      title: 'There is no such page',
      quote: 'It may have moved: search for it (Ctrl+K), or begin at the start.',
      linkLabel: 'Go to the start',
      linkText: 'To the start',
    },
  },
  vite: {
    plugins: [vueOfTheSite()],
    envDir: import.meta.dirname,
    css: { postcss: {} },
    build: { chunkSizeWarningLimit: 3_000, assetsInlineLimit: 0 },
    logLevel: 'warn',
  },
};

/** The pages are outside of this folder, where no Vue is found: what renders them runs here, and finds it. */
function vueOfTheSite() {
  return {
    name: 'vue-of-the-site',
    enforce: /** @type {const} */ ('pre'),
    /** @param {string} id @param {string | undefined} _ @param {{ ssr?: boolean }} options */
    resolveId: (id, _, { ssr = false }) =>
      ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : null,
  };
}

export default config;
