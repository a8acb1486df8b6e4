import { type Answer, type Html, clockSection, faultsSection, html } from '@millrace/simulator-kit';
import type { Journal } from '../http/journal.ts';
import type { Org } from '../org.ts';
import { home } from './page.ts';
import { callsTable } from './views.ts';

const LAST_CALLS = 10;
const SESSIONS = { of: 'sessions', form: 'sessions/expire', label: 'End all sessions' };

export function homePage(org: Org, journal: Journal, wrong: string | null): Answer {
  const { used, max, total } = org.counter.calls;
  const { namespace, apex } = org.settings;
  return home({
    wrong,
    facts: [
      ['Instance', org.home.origin],
      ['Clock', new Date(org.clock.now()).toISOString()],
      ['API calls in 24 h', `${used} of ${max} (${total} since the start)`],
      [
        'Package',
        `${apex ? 'objects and Apex' : 'objects only'}${namespace === null ? '' : `, namespace ${namespace}`}`,
      ],
      ['Files', `${org.database.fileBytes} bytes`],
      ['Waiting for a lock', String(org.locks.waiting)],
    ],
    beside: html`<section>
      <h2>Records</h2>
      ${objectsTable(org)}
    </section>`,
    faults: faultsSection(org.faults),
    below: html`${clockSection(SESSIONS)}
      <section>
        <h2>Last calls</h2>
        ${callsTable(journal.list().slice(0, LAST_CALLS))}
      </section>`,
    standsInFor: 'a Salesforce org',
  });
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
