import {
  type Answer,
  type Html,
  complaint,
  faultsSection,
  html,
  inputField,
} from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import { liveDataExtensions } from '../data/account.ts';
import { tasksOf } from './control.ts';
import { page } from './page.ts';
import { operationsTable, table, tasksTable } from './views.ts';

const LAST_TASKS = 10;

export function homePage(cloud: Cloud, wrong: string | null): Answer {
  const { total, tokens } = cloud.counter.calls;
  const facts: [string, string][] = [
    ['Auth, SOAP and REST', cloud.home.origin],
    ['Clock', new Date(cloud.clock.now()).toISOString()],
    ['API calls', `${total}, and ${tokens} for tokens`],
  ];
  const content = html`<h1>Account</h1>
    ${complaint(wrong)}
    <div class="two">
      <section>
        <h2>Now</h2>
        <dl>
          ${facts.map(
            ([name, value]) =>
              html`<dt>${name}</dt>
                <dd>${value}</dd>`,
          )}
        </dl>
      </section>
      <section>
        <h2>Business units</h2>
        ${unitsTable(cloud)}
      </section>
    </div>
    ${faultsSection(cloud.faults)} ${controls()}
    <div class="two">
      <section>
        <h2>Last tasks</h2>
        ${tasksTable(tasksOf(cloud).slice(0, LAST_TASKS))}
      </section>
      <section>
        <h2>Calls</h2>
        ${operationsTable(cloud)}
      </section>
    </div>
    <p class="note">
      This is a stand-in for a Marketing Cloud account. It exists only on this machine.
    </p>`;
  return page({ title: 'Account', place: '/_sim/', content, status: wrong === null ? 200 : 400 });
}

function unitsTable(cloud: Cloud): Html {
  return table(
    ['MID', 'Name', 'Data extensions', 'Queries', 'Tasks'],
    [...cloud.units.values()].map((unit) => [
      html`<a href="${`/_sim/unit/${unit.mid}`}">${unit.mid}</a>`,
      unit.parent === null ? `${unit.name} (enterprise)` : unit.name,
      liveDataExtensions(unit, cloud.clock.now()).length,
      unit.queries.size,
      unit.tasks.size,
    ]),
  );
}

function controls(): Html {
  return html`<section>
    <h2>Clock and tokens</h2>
    <div class="two">
      <form class="row" method="post" action="/_sim/advance">
        ${inputField('seconds', 'Seconds', 'number', '60')}
        <button class="second">Move the clock</button>
      </form>
      <form class="row" method="post" action="/_sim/tokens/expire">
        <button class="second">Let all tokens expire</button>
      </form>
    </div>
  </section>`;
}
