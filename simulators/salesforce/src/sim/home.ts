import {
  type Answer,
  type Html,
  complaint,
  faultsSection,
  html,
  inputField,
} from '@millrace/simulator-kit';
import type { Journal } from '../http/journal.ts';
import type { Org } from '../org.ts';
import { page } from './page.ts';
import { callsTable } from './views.ts';

const LAST_CALLS = 10;

export function homePage(org: Org, journal: Journal, wrong: string | null): Answer {
  const { used, max, total } = org.counter.calls;
  const { namespace, apex } = org.settings;
  const facts: [string, string][] = [
    ['Instance', org.home.origin],
    ['Clock', new Date(org.clock.now()).toISOString()],
    ['API calls in 24 h', `${used} of ${max} (${total} since the start)`],
    [
      'Package',
      `${apex ? 'objects and Apex' : 'objects only'}${namespace === null ? '' : `, namespace ${namespace}`}`,
    ],
    ['Files', `${org.database.fileBytes} bytes`],
    ['Waiting for a lock', String(org.locks.waiting)],
  ];
  const content = html`<h1>Org</h1>
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
        <h2>Records</h2>
        ${objectsTable(org)}
      </section>
    </div>
    ${faultsSection(org.faults)} ${controls()}
    <section>
      <h2>Last calls</h2>
      ${callsTable(journal.list().slice(0, LAST_CALLS))}
    </section>
    <p class="note">This is a stand-in for a Salesforce org. It exists only on this machine.</p>`;
  return page({ title: 'Org', place: '/_sim/', content, status: wrong === null ? 200 : 400 });
}

function objectsTable(org: Org): Html {
  const rows = org.schema.objects
    .filter(({ isEvent }) => !isEvent)
    .map((object) => ({ object, count: [...org.database.rows(object)].length }))
    .filter(({ object, count }) => count > 0 || object.custom)
    .map(
      ({ object, count }) =>
        html`<tr>
          <td><a href="${`/_sim/records/${object.name}`}">${object.labelPlural}</a></td>
          <td>${object.name}</td>
          <td class="number">${String(count)}</td>
        </tr>`,
    );
  return html`<table>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function controls(): Html {
  return html`<section>
    <h2>Clock and sessions</h2>
    <div class="two">
      <form class="row" method="post" action="/_sim/advance">
        ${inputField('seconds', 'Seconds', 'number', '60')}
        <button class="second">Move the clock</button>
      </form>
      <form class="row" method="post" action="/_sim/sessions/expire">
        <button class="second">End all sessions</button>
      </form>
    </div>
  </section>`;
}
