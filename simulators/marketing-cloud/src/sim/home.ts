import { type Answer, type Html, clockSection, faultsSection, html } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import { liveDataExtensions } from '../data/account.ts';
import { tasksOf } from './control.ts';
import { home } from './page.ts';
import { operationsTable, table, tasksTable } from './views.ts';

const LAST_TASKS = 10;
const TOKENS = { of: 'tokens', form: 'tokens/expire', label: 'Let all tokens expire' };

export function homePage(cloud: Cloud, wrong: string | null): Answer {
  const { total, tokens } = cloud.counter.calls;
  return home({
    wrong,
    facts: [
      ['Auth, SOAP and REST', cloud.home.origin],
      ['Clock', new Date(cloud.clock.now()).toISOString()],
      ['API calls', `${total}, and ${tokens} for tokens`],
    ],
    beside: html`<section>
      <h2>Business units</h2>
      ${unitsTable(cloud)}
    </section>`,
    faults: faultsSection(cloud.faults),
    below: html`${clockSection(TOKENS)}
      <div class="two">
        <section>
          <h2>Last tasks</h2>
          ${tasksTable(tasksOf(cloud).slice(0, LAST_TASKS))}
        </section>
        <section>
          <h2>Calls</h2>
          ${operationsTable(cloud)}
        </section>
      </div>`,
    standsInFor: 'a Marketing Cloud account',
  });
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
