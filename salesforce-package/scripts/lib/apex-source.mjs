// Apex written by scripts: literals, and the form that the formatter gives it.

import { join } from 'node:path';
import { format } from 'prettier';
import * as apex from 'prettier-plugin-apex';
import { packageRoot } from './project.mjs';

export const classFolder = join(packageRoot, 'force-app', 'main', 'default', 'classes');

/** ASCII only: no editor and no deployment can change it. @param {string} text */
export function apexText(text) {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `'${escaped}'`;
}

/** @param {string} source */
export function classFile(source) {
  return format(source, { parser: 'apex', plugins: [apex], printWidth: 100 });
}
