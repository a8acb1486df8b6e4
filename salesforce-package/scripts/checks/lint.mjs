// What the Lightning runtime would refuse or not like, and the usual mistakes of JavaScript.

import { join, relative } from 'node:path';
import babelParser from '@babel/eslint-parser';
import lwc from '@lwc/eslint-plugin-lwc';
import { ESLint } from 'eslint';

const RULES = {
  '@lwc/lwc/consistent-component-name': 'error',
  '@lwc/lwc/no-api-reassignments': 'error',
  '@lwc/lwc/no-attributes-during-construction': 'error',
  '@lwc/lwc/no-deprecated': 'error',
  '@lwc/lwc/no-disallowed-lwc-imports': 'error',
  '@lwc/lwc/no-document-query': 'error',
  '@lwc/lwc/no-dupe-class-members': 'error',
  '@lwc/lwc/no-inner-html': 'error',
  '@lwc/lwc/no-leading-uppercase-api-name': 'error',
  '@lwc/lwc/no-leaky-event-listeners': 'error',
  '@lwc/lwc/no-template-children': 'error',
  '@lwc/lwc/valid-api': 'error',
  '@lwc/lwc/valid-track': 'error',
  '@lwc/lwc/valid-wire': 'error',
  'no-unused-vars': 'error',
  'no-const-assign': 'error',
  'no-dupe-keys': 'error',
  'no-self-assign': 'error',
  'no-unreachable': 'error',
  'no-eval': 'error',
  eqeqeq: 'error',
};

/** @param {string} project @returns {Promise<string[]>} */
export async function lint(project) {
  const eslint = new ESLint({
    cwd: project,
    overrideConfigFile: true,
    errorOnUnmatchedPattern: false,
    overrideConfig: [
      { ignores: ['**/__tests__/**'] },
      {
        files: ['**/lwc/**/*.js'],
        plugins: { '@lwc/lwc': lwc },
        languageOptions: {
          parser: babelParser,
          parserOptions: {
            requireConfigFile: false,
            babelOptions: {
              babelrc: false,
              configFile: false,
              parserOpts: { plugins: [['decorators', { decoratorsBeforeExport: false }]] },
            },
          },
        },
        rules: /** @type {import('eslint').Linter.RulesRecord} */ (RULES),
      },
    ],
  });
  const results = await eslint.lintFiles([join('force-app', 'main', 'default', 'lwc')]);
  return results.flatMap(({ filePath, messages }) =>
    messages.map(
      ({ line, message, ruleId }) =>
        `${relative(project, filePath)}:${line} ${message} (${ruleId})`,
    ),
  );
}
