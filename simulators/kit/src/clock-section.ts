import { inputField } from './faults-section.ts';
import { type Html, html } from './html.ts';

/** What has an end by the clock, and the form below `/_sim/` that ends it now. */
export interface Ending {
  /** `sessions`, as the title names them. */
  readonly of: string;
  /** `sessions/expire`. */
  readonly form: string;
  /** What the button says. */
  readonly label: string;
}

/** Forms that move the clock on, and end what would end by it. */
export function clockSection({ of, form, label }: Ending): Html {
  return html`<section>
    <h2>Clock and ${of}</h2>
    <div class="two">
      <form class="row" method="post" action="/_sim/advance">
        ${inputField('seconds', 'Seconds', 'number', '60')}
        <button class="second">Move the clock</button>
      </form>
      <form class="row" method="post" action="/_sim/${form}">
        <button class="second">${label}</button>
      </form>
    </div>
  </section>`;
}
