import { createHash } from 'node:crypto';
import type { JsonSchema, OpenApiDocument } from '@millrace/api';
import { fieldTable, fieldsOf, sentence, sideOf, typeOf } from './fields.ts';
import { type Html, type Part, html } from './html.ts';
import { type Route, badge, commonCodes, roleBadge, routeSection, routesOf } from './route.ts';
import { STYLE } from './style.ts';

export interface DocsPage {
  readonly html: string;
  /** The page needs its own style and nothing else: no script, image, font or request. */
  readonly csp: string;
}

/** The API as a page to read, made of the document alone. */
export function docsPage(document: OpenApiDocument): DocsPage {
  const { title, version } = document.info;
  const body = html`<a class="skip" href="#content">To the content</a>
    ${contents(document)}
    <main id="content">
      ${intro(document)} ${groups(document)} ${shapes(document)} ${errors(document)}
    </main>`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} ${version}: the API</title>
        <style>`;
  const rest = html`</style>
      </head>
      <body>
        ${body}
      </body>
    </html>`;
  return { html: `${page.markup}${STYLE}${rest.markup}\n`, csp: cspOf(STYLE) };
}

/** A hash lets in exactly this style, and no other that found its way into the page. */
function cspOf(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const WHEEL = html`<svg
  viewBox="0 0 24 24"
  fill="none"
  stroke="currentColor"
  stroke-width="1.8"
  aria-hidden="true"
>
  <circle cx="12" cy="12" r="7.5" />
  <circle cx="12" cy="12" r="1.6" />
  <path
    d="M12 2v8.4M12 13.6V22M2 12h8.4M13.6 12H22M4.9 4.9l6 6M13.1 13.1l6 6M19.1 4.9l-6 6M10.9 13.1l-6 6"
  />
</svg>`;

function contents(document: OpenApiDocument): Html {
  const { title, version } = document.info;
  return html`<nav aria-label="Contents">
    <a class="home" href="#content">${WHEEL} ${title} <small>${version}</small></a>
    <input type="checkbox" id="contents" /><label for="contents">Contents</label>
    <div class="contents">
      ${document.tags.map(
        ({ name }) =>
          html`<h2><a href="#${slug(name)}">${name}</a></h2>
            <ul>
              ${routesIn(document, name).map(entry)}
            </ul>`,
      )}
      <h2><a href="#shapes">Shapes</a></h2>
      <h2><a href="#errors">Errors</a></h2>
    </div>
  </nav>`;
}

function entry({ method, operation }: Route): Html {
  const { operationId } = operation;
  return html`<li><a href="#${operationId}">${badge(method, 3)} ${operationId}</a></li>`;
}

function routesIn(document: OpenApiDocument, tag: string): Route[] {
  return routesOf(document).filter(({ operation }) => operation.tags.includes(tag));
}

function intro({ info }: OpenApiDocument): Html {
  return html`<h1>${info.title} <small>API ${info.version}</small></h1>
    <p class="lead">${sentence(info.description)}</p>
    <div class="cards">
      <div>
        <h2>Sign in</h2>
        <p>
          Routes with a role need a token of the issuer that <a href="#signIn">/signin</a> names.
        </p>
        <pre><code>millrace login
millrace token</code></pre>
      </div>
      <div>
        <h2>Roles</h2>
        <p>Each may do what those before it may.</p>
        <p class="roles">
          <span>${roleBadge('viewer')} looks</span>
          <span>${roleBadge('member')} makes, and acts on their own</span>
          <span>${roleBadge('operator')} acts on all jobs</span>
          <span>${roleBadge('admin')} erases</span>
        </p>
      </div>
      <div>
        <h2>Lists</h2>
        <p>
          Each has a stable order, filters, <code>limit</code> and <code>cursor</code>. Give
          <code>next</code> of one page as the <code>cursor</code> of the following, with the same
          filter.
        </p>
      </div>
      <div>
        <h2>For programs</h2>
        <p>
          This page as <a href="/openapi.json">OpenAPI 3.1</a>. Send
          <code>x-correlation-id</code> to find a request again; every answer has one.
        </p>
      </div>
    </div>`;
}

function groups(document: OpenApiDocument): Part {
  const common = commonCodes(document);
  return document.tags.map(
    ({ name, description }) =>
      html`<section id="${slug(name)}">
        <h2>${name}</h2>
        <p>${sentence(description)}</p>
        ${routesIn(document, name).map((route) => routeSection(document, route, common))}
      </section>`,
  );
}

function slug(name: string): string {
  return `group-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;
}

function shapes({ components }: OpenApiDocument): Html {
  return html`<section id="shapes">
    <h2>Shapes</h2>
    <p>What has a name in the tables above.</p>
    ${Object.entries(components.schemas).map(
      ([name, schema]) =>
        html`<article class="shape" id="shape-${name}">
          <h3>${name}</h3>
          <div>${shape(schema)}</div>
        </article>`,
    )}
  </section>`;
}

function shape(schema: JsonSchema): Part {
  const { description, oneOf } = schema;
  const fields = fieldsOf(schema);
  if (oneOf !== undefined) {
    return oneOf.map(
      (each) =>
        html`<h4>${each.description}</h4>
          ${fieldTable(fieldsOf(each), 'answer')}`,
    );
  }
  if (fields.length > 0) return fieldTable(fields, sideOf(schema));
  return html`<p class="about">${description && sentence(description)}</p>
    <p class="type">${typeOf(schema)}</p>`;
}

function errors({ components }: OpenApiDocument): Html {
  return html`<section id="errors">
    <h2>Errors</h2>
    <p>
      Decide by <code>code</code>. Where <code>retryable</code> is true, the same request can
      succeed later.
    </p>
    <div class="table">
      <table>
        <thead>
          <tr>
            <th>Code</th>
            <th>Status</th>
            <th>Retry</th>
            <th>What it means, and what to do</th>
          </tr>
        </thead>
        <tbody>
          ${Object.entries(components.examples).map(
            ([code, { summary, description, value }]) =>
              html`<tr id="error-${code}">
                <td><code>${code}</code></td>
                <td>${value.status}</td>
                <td>${value.retryable ? 'yes' : 'no'}</td>
                <td>
                  ${summary}.
                  <p>${sentence(description)}</p>
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}
