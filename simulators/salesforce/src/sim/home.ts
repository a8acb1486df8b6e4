import type { Answer } from '../http/answer.ts';
import type { Journal } from '../http/journal.ts';
import { FAULT_KINDS, type Fault } from '../faults.ts';
import type { Org } from '../org.ts';
import { type Html, html } from './html.ts';
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
    ${wrong === null ? null : html`<p class="wrong" role="alert">${wrong}</p>`}
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
    ${faultsSection(org.faults.list())} ${controls()}
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

function faultsSection(faults: readonly Fault[]): Html {
  const rows = faults.map(
    (fault) =>
      html`<tr>
        <td>${fault.kind}</td>
        <td class="path">${where(fault)}</td>
        <td>${when(fault)}</td>
        <td class="number">${String(fault.struck)}</td>
        <td>
          <form method="post" action="/_sim/faults/remove">
            <button class="second" name="id" value="${String(fault.id)}">Take away</button>
          </form>
        </td>
      </tr>`,
  );
  const list = html`<table>
    <thead>
      <tr>
        <th>Fault</th>
        <th>Where</th>
        <th>When</th>
        <th class="number">Struck</th>
        <th></th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
  return html`<section>
    <h2>Faults</h2>
    ${faults.length === 0 ? html`<p>None: everything works.</p>` : list}
    <form class="row" method="post" action="/_sim/faults">
      <label class="field"
        ><span>Fault</span
        ><select name="kind">
          ${FAULT_KINDS.map((kind) => html`<option>${kind}</option>`)}
        </select></label
      >
      <label class="field"
        ><span>Method</span
        ><select name="method">
          ${['', 'GET', 'POST', 'PATCH', 'DELETE'].map((method) => html`<option value="${method}">${method === '' ? 'every' : method}</option>`)}
        </select></label
      >
      ${input('path', 'Path (pattern)', 'text', 'composite/graph')}
      ${input('ms', 'Milliseconds', 'number', '500')} ${input('times', 'Times', 'number', 'always')}
      ${input('every', 'Every n-th', 'number', '1')}
      <button>Switch on</button>
    </form>
  </section>`;
}

function input(name: string, label: string, type: string, placeholder: string): Html {
  return html`<label class="field"
    ><span>${label}</span><input type="${type}" name="${name}" placeholder="${placeholder}" min="1"
  /></label>`;
}

function where({ method, path, record, object }: Fault): string {
  const parts = [method, path, object, record].filter((part) => part !== undefined);
  return parts.length === 0 ? 'everywhere' : parts.join(' ');
}

function when({ ms, times, every, probability }: Fault): string {
  const parts = [
    ...(ms === undefined ? [] : [`${ms} ms`]),
    ...(times === undefined ? [] : [`${times} times`]),
    ...(every === undefined ? [] : [`one in ${every}`]),
    ...(probability === undefined ? [] : [`by chance, ${probability}`]),
  ];
  return parts.length === 0 ? 'always' : parts.join(', ');
}

function controls(): Html {
  return html`<section>
    <h2>Clock and sessions</h2>
    <div class="two">
      <form class="row" method="post" action="/_sim/advance">
        ${input('seconds', 'Seconds', 'number', '60')}
        <button class="second">Move the clock</button>
      </form>
      <form class="row" method="post" action="/_sim/sessions/expire">
        <button class="second">End all sessions</button>
      </form>
    </div>
  </section>`;
}
