import { createHash } from 'node:crypto';
import type { Answer } from '../http/answer.ts';
import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** Not inside a template: the hash covers every blank between the tags. */
const STYLE_ELEMENT: Html = { html: `<style>${STYLE}</style>` };

const PLACES = [
  ['/_sim/', 'Org'],
  ['/_sim/files', 'Files'],
  ['/_sim/calls', 'Calls'],
] as const;

export interface Page {
  readonly title: string;
  /** The address of the page, for the navigation. */
  readonly place: string;
  readonly content: Html;
  readonly status?: number;
}

export function page({ title, place, content, status = 200 }: Page): Answer {
  const links = PLACES.map(
    ([path, name]) =>
      html`<a href="${path}" ${path === place ? html`aria-current="page"` : null}>${name}</a>`,
  );
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} – Salesforce simulator</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <header>
          <b>Salesforce simulator</b>
          <nav>${links}</nav>
        </header>
        <main>${content}</main>
      </body>
    </html> `;
  return { status, headers: HEADERS, body: text.html };
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    `default-src 'none'`,
    `style-src 'sha256-${STYLE_HASH}'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `form-action 'self'`,
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
};

/** 303: whatever was posted here is not posted there. */
export function backTo(path: string): Answer {
  return { status: 303, headers: { location: path }, body: '' };
}
