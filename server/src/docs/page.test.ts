import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { ERRORS, type OpenApiDocument, contracts, openApi } from '@millrace/api';
import { describe, expect, test } from 'vitest';
import { docsPage } from './page.ts';
import { coloured, shellQuoted } from './example.ts';
import { html as template } from './html.ts';
import { routesOf } from './route.ts';

const document = openApi({ version: '1.2.3' });
const { html, csp } = docsPage(document);

describe('the page', () => {
  test('has every route with its example, and every error', () => {
    for (const name of Object.keys(contracts)) expect(html).toContain(`<article id="${name}">`);
    for (const code of Object.keys(ERRORS)) expect(html).toContain(`id="error-${code}"`);
    expect(html.match(/curl /g)).toHaveLength(Object.keys(contracts).length);
  });

  test('names the version', () => expect(html).toContain('API 1.2.3'));

  test('is well formed', () => expect(unbalanced(html)).toEqual([]));

  test('has no link that leads nowhere, and no id twice', () => {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href);
    const elsewhere = links.filter((href) => !href?.startsWith('#'));
    expect(new Set(elsewhere)).toEqual(new Set(['/openapi.json']));
    expect(links.filter((href) => href?.startsWith('#') && !ids.includes(href.slice(1)))).toEqual(
      [],
    );
  });

  test('runs nothing and loads nothing', () => {
    expect(html).not.toMatch(/<script|<img|<link|<iframe| src=| style=| on\w+=|@import|url\(/i);
  });

  test('allows its own style and nothing else', () => {
    const [, style] = /<style>([^]*?)<\/style>/.exec(html) ?? [];
    const hash = createHash('sha256')
      .update(style ?? '')
      .digest('base64');
    expect(csp).toContain(`style-src 'sha256-${hash}'`);
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("frame-ancestors 'none'");
    expect(html.match(/<style/g)).toHaveLength(1);
  });

  test('asks for a token where one is needed', () => {
    expect(articleOf('enqueue')).toContain('Bearer $(millrace token)');
    expect(articleOf('healthz')).not.toContain('Bearer');
  });

  test('says what a field keeps to', () => {
    const article = articleOf('enqueue');
    expect(article).toContain('−1,000 to 1,000');
    expect(article).toContain('required');
    expect(article).toContain('href="#shape-Duration"');
    expect(articleOf('enqueueBatch')).toContain('1 to 1,000 items');
    expect(articleOf('getJob')).toContain('href="#error-job_not_found"');
  });
});

test('whatever is in the document is text on the page', () => {
  const evil = `"'><script>alert(1)</script>&amp;`;
  const poisoned = JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    typeof value === 'string' && !key.startsWith('$') && !['type', 'in'].includes(key)
      ? `${value}${evil}`
      : value,
  ) as OpenApiDocument;
  const page = docsPage(poisoned).html;
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script');
  expect(unbalanced(page)).toEqual([]);
});

describe('a template', () => {
  test('escapes values and keeps markup', () => {
    expect(template`<b title="${'"'}">${['<', template`<i></i>`, 3, false, null]}</b>`.markup).toBe(
      '<b title="&quot;">&lt;<i></i>3</b>',
    );
  });
});

describe('an example', () => {
  test.each(['plain/path', 'two words', `it's`, '$HOME `ls` "x" \\ \n end', '?a=b&c=d', ''])(
    'gives %j to the shell as it is',
    (text) => {
      const said = execFileSync('sh', ['-c', `printf %s ${shellQuoted(text)}`], {
        encoding: 'utf8',
      });
      expect(said).toBe(text);
    },
  );

  test('sends the body of its contract', () => {
    const [, body] = /-d '([^']*)'/.exec(textOf(articleOf('enqueue'))) ?? [];
    expect(JSON.parse(body ?? '')).toEqual(contracts.enqueue.example.body);
  });

  test('asks the address of its contract', () => {
    expect(textOf(articleOf('listJobs'))).toContain(
      "'http://localhost:3000/jobs?kind=report.monthly&tenant=acme&limit=1'",
    );
    expect(textOf(articleOf('eraseSubject'))).toContain(
      'curl -X DELETE http://localhost:3000/subjects/customer-7',
    );
    for (const { operation } of routesOf(document)) {
      expect(textOf(articleOf(operation.operationId))).not.toMatch(/curl [^\n]*[{}]/);
    }
  });

  test('is coloured without a change to its text', () => {
    const json = JSON.stringify({ 'a"b': ['c: d', -1.5e-7, null, true, { e: '\\' }] }, null, 2);
    const { markup } = template`${coloured(json)}`;
    expect(textOf(markup)).toBe(json);
    expect(markup).toContain('<span class="k">&quot;a\\&quot;b&quot;</span>:');
  });
});

function articleOf(name: string): string {
  const from = html.indexOf(`<article id="${name}">`);
  return html.slice(from, html.indexOf('</article>', from));
}

function textOf(markup: string): string {
  const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '');
}

const VOID = ['meta', 'input', 'wbr', 'circle', 'path'];

/** The tags that are not closed, or not open. */
function unbalanced(markup: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, slash, name = ''] of markup.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (VOID.includes(name)) continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) wrong.push(name);
  }
  return [...wrong, ...open];
}
