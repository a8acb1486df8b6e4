import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { type Html, html } from './html.ts';

export interface FramedPage {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Another origin that a form of the page may lead to, such as that of a redirect. */
  readonly leadsTo?: string | null;
}

/** A whole page around its body. */
export type Frame = (page: FramedPage) => Answer;

/** Pages with this style and no other, without scripts, that nobody can frame. */
export function createFrame(style: string): Frame {
  const hash = createHash('sha256').update(style).digest('base64');
  // Not inside a template: the hash covers every blank between the tags.
  const element: Html = { html: `<style>${style}</style>` };
  return ({ title, body, status = 200, leadsTo = null }) => {
    const page = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${title}</title>
          ${element}
        </head>
        <body>
          ${body}
        </body>
      </html> `;
    return { status, headers: headersFor(hash, leadsTo), body: page.html };
  };
}

/**
 * Browsers hold the redirect after a form to `form-action` too, so it names where the form leads.
 * `referrer-policy: no-referrer` would make browsers post `Origin: null`, which we refuse.
 */
function headersFor(styleHash: string, leadsTo: string | null): Record<string, string> {
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${styleHash}'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
    `form-action 'self'${leadsTo === null ? '' : ` ${policySource(leadsTo)}`}`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
  };
}

/** The policy's grammar has no IPv6 addresses: for those, the scheme. */
function policySource(origin: string): string {
  return origin.includes('[') ? 'http:' : origin;
}
