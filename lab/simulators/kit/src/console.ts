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

/** The first page: what there is now, what is beside it and below it, and the faults between. */
export interface ConsoleHome {
  /** The mistake of the sender of a form. */
  readonly wrong: string | null;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Sections next to the facts. */
  readonly beside: Html;
  readonly faults: Html;
  readonly below?: Html | null;
  /** The system that the simulator stands in for: `a Salesforce org`. */
  readonly standsInFor: string;
}

type Place = readonly [path: string, name: string];

/** The pages on which people look inside a simulator. */
export interface Console {
  page(page: ConsolePage): Answer;
  home(home: ConsoleHome): Answer;
  nothingHere(): Answer;
}

/** `places` are the addresses of the navigation and their names; the first one is home. */
export function createConsole(name: string, places: readonly [Place, ...Place[]]): Console {
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
    home({ wrong, facts, beside, faults, below = null, standsInFor }) {
      const [[place, title]] = places;
      const content = html`<h1>${title}</h1>
        ${complaint(wrong)}
        <div class="two">
          <section>
            <h2>Now</h2>
            <dl>
              ${facts.map(
                ([fact, value]) =>
                  html`<dt>${fact}</dt>
                    <dd>${value}</dd>`,
              )}
            </dl>
          </section>
          ${beside}
        </div>
        ${faults} ${below}
        <p class="note">This is a stand-in for ${standsInFor}. It exists only on this machine.</p>`;
      return page({ title, place, content, status: wrong === null ? 200 : 400 });
    },
    nothingHere() {
      const content = html`<h1>Nothing here</h1>
        <p>Begin at <a href="/_sim/">/_sim/</a>.</p>`;
      return page({ title: 'Nothing here', place: '', content, status: 404 });
    },
  };
}

/** A mistake, above what the sender can do about it. */
export function complaint(wrong: string | null): Html | null {
  return wrong === null ? null : html`<p class="wrong" role="alert">${wrong}</p>`;
}
