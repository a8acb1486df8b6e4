// What makes the output of VitePress fit for a strict content security policy, and small on its way.

import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './pages.mjs';

/**
 * VitePress writes two scripts into each page, which set the theme before anything is drawn. They become one file: the
 * server allows no script inside a page.
 *
 * @param {string} base
 */
export function collectScripts(base) {
  /** @type {Map<string, string>} */
  const files = new Map();
  return {
    /** @param {string} html */
    take(html) {
      /** @type {string[]} */
      const scripts = [];
      const without = html.replaceAll(
        /\s*<script id="check-[\w-]+">([^]*?)<\/script>/g,
        (_, script) => {
          scripts.push(script);
          return '';
        },
      );
      // The height of the window, which the browser's own script sets anyway.
      const plain = without.replaceAll(' style="--vp-vh:0px;"', '');
      const code = `${scripts.join(';\n')}\n`;
      const name = `assets/early.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
      files.set(name, code);
      return plain.replace('</head>', `  <script src="${base}${name}"></script>\n  </head>`);
    },
    /** @param {string} folder */
    write(folder) {
      for (const [name, code] of files) writeFileSync(join(folder, name), code);
      copyFileSync(join(root, 'console/public/icon.svg'), join(folder, 'icon.svg'));
    },
  };
}

const TEXT = /\.(js|css|html|svg|json)$/;

/**
 * Beside each text a .gz: the server sends it as it is, and compresses nothing while it runs. A .br would be a tenth smaller, and
 * add 1 MB to the server's tarball.
 *
 * @param {string} folder
 */
export function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXT.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
}
