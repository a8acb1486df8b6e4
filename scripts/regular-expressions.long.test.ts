// A regular expression that can match one text in many ways takes time that grows with the square of the text, or beyond all
// measure: one line of 1 MB held the server for ten minutes. So each one in what reads foreign text is checked, and those that
// can take so long are listed with what limits their text.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { parseAst } from 'vite';
import { expect, test, vi } from 'vitest';

const root = join(import.meta.dirname, '..');

const PACKAGES =
  'api cli connectors console docx engine millrace server stores tables testkit workloads'.split(
    ' ',
  );

interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

function patternsIn(file: string): Pattern[] {
  const found: Pattern[] = [];
  const text = readFileSync(join(root, file), 'utf8');
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if ('regex' in node) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string };
      found.push({ file, source: pattern, flags });
    } else Object.values(node).forEach(walk);
  };
  walk(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file));
  return found;
}

const files = PACKAGES.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter(
      (file) =>
        /\/src\/.*\.tsx?$/.test(file) &&
        !/\.test\.tsx?$|\/test\/|\/(?:node_modules|dist)\//.test(file),
    ),
);
const patterns = files.flatMap(patternsIn);

/** Without a repetition there is one way to match only; most have none. */
function repeats({ source }: Pattern): boolean {
  return /[*+]|\{\d+,\d*\}/.test(source);
}

/** Patterns that may take long, or that the check cannot decide about, by file and with what limits the text that they see. */
const LIMITED: Readonly<Record<string, readonly [limit: string, ...patterns: string[]]>> = {
  'api/src/client.ts': ['a setting', '\\/+$'],
  'cli/src/context.ts': ['a setting', '\\/+$'],
  'cli/src/line/arguments.ts': ['what one types', '^-(?:\\d+\\.?\\d*|\\.\\d+)$'],
  'cli/src/mcp/resources.ts': ['300 characters', '^millrace:\\/\\/jobs\\/([^/?#]{1,300})$'],
  'cli/src/render/executions.ts': [
    'anchored at a line break and words',
    '\\n(?=Caused by(?: \\(\\d+ of \\d+\\))?: )',
  ],
  'cli/src/sign-in/address.ts': ['a setting', '\\/+$'],
  'connectors/marketing-cloud/src/calls/address.ts': ['a setting', '\\/+$'],
  'connectors/marketing-cloud/src/calls/words.ts': [
    '40 characters after a word',
    '(have|has|lacks?|without|missing|insufficient|requires?) .{0,40}permission',
  ],
  'connectors/object-storage/src/calls/address.ts': ['a setting', '\\/+$', '^\\/+|\\/+$'],
  'connectors/object-storage/src/credentials.ts': [
    'a file of the operator',
    '^\\s*([a-z_]+)\\s*=\\s*(.*?)\\s*$',
  ],
  'connectors/office/src/child.ts': [
    'what LibreOffice says of a fault',
    '\\s*<?file:[^\\s>]*>?',
    '\\s+at\\s',
  ],
  'connectors/office/src/find.ts': ['a file of LibreOffice', '^ProductKey=.*?(\\d+)\\.(\\d+)'],
  'connectors/office/src/processes/environment.ts': [
    'a name of a variable',
    '^(PATH|LANG|LANGUAGE|LC_\\w+|TZ|FONTCONFIG_\\w+|LD_LIBRARY_PATH|XDG_DATA_HOME)$',
  ],
  'connectors/office/src/processes/formats.ts': [
    'files of LibreOffice',
    '^(?:writer_MS_Word_2007\\w*|writer_OOXML\\w*|pdf_Portable_Document_Format|chart8|math8|writer8)$',
    '<oor:component-data\\b(?=[^>]*\\boor:package="org\\.openoffice\\.TypeDetection")[^>]*?\\boor:name="(Types|GraphicFilter)"[^>]*>(.*?)<\\/oor:component-data>',
    '<node oor:name="([^"]+)" oor:op="replace"',
    '<prop oor:name="Type"[^>]*>\\s*<value>([^<]+)<\\/value>',
  ],
  'connectors/office/src/program/look.ts': [
    'one tag at a time: it begins with what none has inside',
    '(?:<(?:\\w{1,20}:)?instrText\\b[^<>]*>|w:instr=")\\s*(?:TOC|INDEX|TOA|BIBLIOGRAPHY)\\b',
    '(?:<(?:\\w{1,20}:)?instrText\\b[^<>]*>|w:instr=")\\s*FILENAME\\b',
  ],
  'connectors/salesforce/src/events/bayeux-cookies.ts': [
    'a header of Salesforce',
    ',\\s*(?=[^;,=\\s]+=)',
  ],
  'console/src/data/download.ts': ['a header of the server', "filename\\*=UTF-8''([^;]+)"],
  'console/src/pages/documents/pdf/find.ts': [
    'a template, in the browser of whoever opens it',
    '\\{\\{[^}]*\\}\\}|\\{\\{.*$|^…|…$',
  ],
  'console/src/pages/documents/studio/problems.ts': [
    'a snippet of a template, in the browser',
    '\\{\\{[^}]*\\}\\}',
  ],
  'console/src/pages/queries/sql-tree.ts': [
    'what one types',
    '(?:\\[[^\\]\\n]*|[\\p{L}_#][\\p{L}\\p{N}_$#@]*)$',
  ],
  'console/src/shell/palette/commands.ts': [
    'what one types',
    '^[a-z][a-z0-9]*[-:][\\w:.-]*\\d[\\w:.-]*$',
  ],
  'console/src/ui/parameters.tsx': ['what one types', '\\s*,\\s*'],
  'docx/src/compile/clean/clean.ts': [
    'one tag at a time',
    ' (?:w:rsid\\w*|w14:(?:paraId|textId)|wp14:(?:anchorId|editId))=(?:"[^"]*"|\'[^\']*\')',
  ],
  'docx/src/compile/ops/builder.ts': [
    'each element ends before the next begins',
    '<w:r\\/>|<w:r>(?:<w:rPr\\/>|<w:rPr>(?:(?!<\\/?w:rPr>)[^])*<\\/w:rPr>)?(?:<w:t(?: xml:space="preserve")?>(?:<\\/w:t>)|<w:t\\/>)?<\\/w:r>',
  ],
  'docx/src/compile/tags/advice.ts': [
    '200 characters',
    '^(\\S+) ?(?:\\|\\||\\?\\?|\\?:) ?(.+)$',
    '^(\\S+?) ?\\| ?(\\w+)(?:[(:] ?([^)]*)\\)?)?$',
    '^(.+?)\\.?\\[(?:"(.+)"|\'(.+)\')\\]$',
    '^.*?(?:===?|!=|<>|[<>]=?| = ).*$',
    '^(?:((?:[^\\s.]+\\.)*))(.*)$',
  ],
  'docx/src/compile/tags/attributes.ts': [
    'from the last opening braces (hostile-data.test.ts)',
    '(?:\\{\\{|%7B%7B)(?:(?!\\{\\{|\\}\\}|%7B%7B|%7D%7D)[^])*(?:\\}\\}|%7D%7D)',
  ],
  'docx/src/foreign-tags.ts': [
    'a line of a template, in a thread with a limit of time',
    '[;{]\\s*$|=>|\\(\\)|":\\s|<\\/\\w|\\\\[a-z]+\\{|^\\s*(?:const|let|var|def|return|import|public|private|function|class|#include|echo|print|if|for|\\/\\/|\\$ )\\b',
  ],
  'docx/src/helpers/html.ts': [
    'spaces are one by then, and each break is a text of its own',
    '[ \\n]+$',
  ],
  'docx/src/helpers/link.ts': ['2,000 characters', '^(?:%20)+|(?:%20)+$'],
  'docx/src/helpers/picture.ts': [
    'one tag',
    '\\sviewBox\\s*=\\s*["\']\\s*[-\\d.e]+[\\s,]+[-\\d.e]+[\\s,]+([\\d.e]+)[\\s,]+([\\d.e]+)',
  ],
  'docx/src/merge/draw.ts': [
    'XML of our own, whose tags are closed',
    '<w:pStyle\\b[^>]*\\/>',
    '<w:ind\\b[^>]*\\/>',
    '<w:numPr>[^]*?<\\/w:numPr>',
  ],
  'docx/src/package/sanitize.ts': [
    'a name of an element',
    '^(?:w:(?:header|footer)Reference|w:embed\\w+|cx?:(?:chart|externalData|userShapes)|dgm:relIds|a:hlink\\w+|asvg:svgBlip|a14:imgLayer)$',
  ],
  'docx/src/trial/trial.ts': [
    'what is not closed takes the rest',
    '\\\\\\{\\{|\\{\\{([^]*?)(?:\\}\\}|$)|((?:(?!\\\\?\\{\\{)[^])+)',
  ],
  'docx/src/trial/texts.ts': [
    'XML that has been read, whose tags are closed',
    '<!--[^]*?-->|<\\?[^]*?\\?>|<(\\/?)(?:[\\w.-]+:)?([\\w.-]+)((?:"[^"]*"|\'[^\']*\'|[^\'">])*?)(\\/?)>|([^<]+)|<!\\[CDATA\\[([^]*?)\\]\\]>',
  ],
  'server/src/config/in-force.ts': [
    'a setting',
    ':\\/\\/[^\\s/@]*:[^\\s/@]+@',
    '[a-z][a-z0-9+.-]*:\\/\\/[^\\s,"]+',
  ],
  'server/src/docs/example.ts': [
    'examples of our own',
    '("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|\\b(true|false|null)\\b|-?\\d[\\d.eE+-]*',
  ],
  'server/src/figures/fingerprint.ts': [
    '600 characters',
    '"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|`[^`]*`|(?<![\\p{L}\\p{N}])\'[^\']*\'(?![\\p{L}\\p{N}])',
    '\\b[a-z][a-z0-9+.-]*:\\/\\/[^\\s)]+',
    '[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+',
    '\\b(?=[0-9a-z]*\\d)[0-9a-z]{15}(?:[0-9a-z]{3})?\\b',
    '\\b0x[0-9a-f]+\\b|\\b(?=[0-9a-f]*\\d)[0-9a-f]{8,}\\b',
    '\\b[\\w-]*\\d[\\w.,:-]*\\b',
  ],
  'server/src/jobs/load-error.ts': [
    'what Node says of a job file',
    "^Cannot find module '([^']+)' imported from (.+)$",
    '(?:\\(|at )((?:file:\\/\\/|[A-Z]:)?[\\\\/].+?):(\\d+):\\d+\\)?$',
  ],
  'server/src/telemetry/export/azure.ts': [
    'a setting',
    '(?:^|;)\\s*IngestionEndpoint=(http:[^;]+)',
  ],
  'server/src/telemetry/export/otlp.ts': ['a setting', '\\/+$'],
  'testkit/src/queue/kinds.ts': ['a name in somebody’s tests', '[._-]+([a-z0-9])'],
  'workloads/kit/src/database-settings.ts': [
    'a setting',
    '-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----',
  ],
  'workloads/kit/src/definitions/yaml.ts': ['a number in a file of the operator', '^[-+]|\\.|e.*$'],
  'workloads/kit/src/parameters/numbers.ts': ['100 digits', '0+$'],
  'workloads/pipelines/src/definition/references.ts': [
    'a file of the operator',
    '\\$?\\$\\{([^}]*)\\}',
  ],
  'workloads/pipelines/src/settings.ts': ['a setting', '\\/+$', '^[^\\r\\n]*@[^\\r\\n]+$'],
  'workloads/queries/src/results/dates.ts': ['7 digits', '0+$'],
  'workloads/queries/src/sql/hints.ts': [
    'each word once',
    '(?:^|\\s)(\\S+) is not a known data extension',
  ],
  'workloads/reports/src/catalogue/outputs.ts': ['one dash where there were several', '^-+|-+$'],
  'tables/src/xlsx/files.ts': ['200 characters', "^[' ]+|[' ]+$", "[' ]+$"],
  'workloads/documents/src/batch/rows/xlsx/format.ts': ['1,000 characters', '\\[[^\\]]*\\]'],
  'workloads/documents/src/batch/rows/xlsx/sheet.ts': [
    'one tag at a time, in a thread with a limit of time',
    '<(?:\\w+:)?mergeCell\\s[^<>]*ref="([A-Z]{1,3})(\\d{1,7}):([A-Z]{1,3})(\\d{1,7})"',
  ],
  'workloads/documents/src/one/names.ts': ['2,000 characters', '^[\\s.]+|[\\s.]+$'],
};

test('the sources are found', () => {
  expect(patterns.length).toBeGreaterThan(400);
});

test('no regular expression takes more than linear time on a text without a limit', () => {
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
  const isLimited = ({ file, source }: Pattern) => LIMITED[file]?.slice(1).includes(source);
  const found = patterns
    .filter((pattern) => repeats(pattern) && isLimited(pattern) !== true)
    .flatMap(({ file, source, flags }) => {
      const checked = checkSync(source, flags, { timeout: 100_000 });
      if (checked.status === 'safe') return [];
      const what = checked.status === 'vulnerable' ? checked.complexity.summary : 'not decided';
      return [`${file}: /${source}/${flags}: ${what}`];
    });
  expect(found).toEqual([]);
}, 600_000);

test('what is listed is there', () => {
  const there = new Set(patterns.map(({ file, source }) => `${file}: ${source}`));
  const listed = Object.entries(LIMITED).flatMap(([file, [, ...sources]]) =>
    sources.map((source) => `${file}: ${source}`),
  );
  expect(listed.filter((each) => !there.has(each))).toEqual([]);
});

test.each([
  ['the first line of a CSV', '[^\\s,;|].*\\n'],
  ['the gap between two texts in SQL', '(?:[ \\t]|--[^\\n\\r]*)*[\\n\\r]'],
])('the check finds what was wrong with %s', (_, source) => {
  vi.stubEnv('RECHECK_SYNC_BACKEND', 'pure');
  expect(checkSync(source, '', { timeout: 100_000 }).status).toBe('vulnerable');
});
