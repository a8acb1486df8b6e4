import type { Answer } from './answer.ts';
import { createFrame } from './frame.ts';
import { type Html, html } from './html.ts';
import { BASE_STYLE, CONSOLE_STYLE } from './style.ts';

export interface ConsolePage {
  readonly title: string;
  /** The address of the page, for the navigation. */
  readonly place: string;
  readonly content: Html;
  readonly status?: number;
}

/** The pages on which people look inside a simulator. */
export interface Console {
  page(page: ConsolePage): Answer;
  nothingHere(): Answer;
}

/** `places` are the addresses of the navigation and their names; the first one is home. */
export function createConsole(
  name: string,
  places: readonly (readonly [path: string, name: string])[],
): Console {
  const frame = createFrame(BASE_STYLE + CONSOLE_STYLE);

  function page({ title, place, content, status = 200 }: ConsolePage): Answer {
    const links = places.map(
      ([path, label]) =>
        html`<a href="${path}" ${path === place ? html`aria-current="page"` : null}>${label}</a>`,
    );
    const body = html`<header>
        <b>${name}</b>
        <nav>${links}</nav>
      </header>
      <main>${content}</main>`;
    return frame({ title: `${title} – ${name}`, body, status });
  }

  return {
    page,
    nothingHere() {
      const content = html`<h1>Nothing here</h1>
        <p>Begin at <a href="/_sim/">/_sim/</a>.</p>`;
      return page({ title: 'Nothing here', place: '', content, status: 404 });
    },
  };
}

/** What someone did wrong, above what they can do about it. */
export function complaint(wrong: string | null): Html | null {
  return wrong === null ? null : html`<p class="wrong" role="alert">${wrong}</p>`;
}
