import {
  type Answer,
  clockSection,
  createConsole,
  faultsSection,
  html,
  type Html,
} from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import {
  type DataExtension,
  liveDataExtensions,
  type QueryDefinition,
  type Task,
  type Unit,
} from '../data/account.ts';
import { tasksOf } from './control.ts';

/** More would be slow to look at. */
const MOST_SHOWN = 200;

type Cell = string | number | Html | null;

/** Numbers are set to the right. */
function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  if (rows.length === 0) return html`<p>None.</p>`;
  return html`<table>
    <thead>
      <tr>
        ${heads.map((head) => html`<th>${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell) =>
              typeof cell === 'number'
                ? html`<td class="number">${String(cell)}</td>`
                : html`<td>${cell}</td>`,
            )}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

export function unitPage(cloud: Cloud, unit: Unit): Answer {
  const dataExtensions = liveDataExtensions(unit, cloud.clock.now());
  const content = html`<h1>Business unit ${unit.mid}</h1>
    <section>
      <h2>Data extensions</h2>
      ${table(
        ['Name', 'Customer key', 'Fields', 'Rows', 'Created'],
        dataExtensions.map((each) => [
          html`<a href="${`/_sim/unit/${unit.mid}/de/${each.objectId}`}">${each.name}</a>`,
          each.customerKey,
          each.fields.length,
          each.rows.length,
          moment(each.createdAt),
        ]),
      )}
    </section>
    <section>
      <h2>Queries</h2>
      ${table(
        ['Name', 'Customer key', 'Target', 'Update type', 'Created'],
        [...unit.queries.values()].map((each) => [
          html`<a href="${`/_sim/unit/${unit.mid}/query/${each.objectId}`}">${each.name}</a>`,
          each.customerKey,
          each.targetKey,
          each.updateType,
          moment(each.createdAt),
        ]),
      )}
    </section>`;
  return page({ title: unit.mid, place: '', content });
}

export function dataExtensionPage(unit: Unit, { name, fields, rows }: DataExtension): Answer {
  const shown = rows.slice(0, MOST_SHOWN);
  const content = html`<h1>${name}</h1>
    <section>
      <h2>Fields</h2>
      ${table(
        ['Name', 'Type', 'Length', 'Key', 'Required'],
        fields.map((field) => [
          field.name,
          field.type,
          field.maxLength ?? '',
          field.isPrimaryKey ? 'yes' : '',
          field.isRequired ? 'yes' : '',
        ]),
      )}
    </section>
    <section>
      <p class="note">
        ${String(rows.length)} rows in business unit
        ${unit.mid}${rows.length > shown.length ? html`, the first ${String(shown.length)} here` : null}.
      </p>
      ${table(
        fields.map((field) => field.name),
        shown.map((row) => fields.map((field) => row[field.name] ?? '')),
      )}
    </section>`;
  return page({ title: name, place: '', content });
}

export function queryPage(unit: Unit, query: QueryDefinition): Answer {
  const own = [...unit.tasks.values()].filter((task) => task.query.objectId === query.objectId);
  const content = html`<h1>${query.name}</h1>
    <section>
      <pre>${query.queryText}</pre>
    </section>
    <section>
      <h2>Tasks</h2>
      ${tasksTable(own)}
    </section>`;
  return page({ title: query.name, place: '', content });
}

export function tasksPage(cloud: Cloud): Answer {
  const content = html`<h1>Tasks</h1>
    <section>${tasksTable(tasksOf(cloud).slice(0, MOST_SHOWN))}</section>`;
  return page({ title: 'Tasks', place: '/_sim/tasks', content });
}

function tasksTable(tasks: readonly Task[]): Html {
  return table(
    ['Task', 'MID', 'Query', 'Status', 'Rows', 'Started', 'Completed', 'Error'],
    tasks.map((task) => [
      task.id,
      task.mid,
      task.query.name,
      task.status,
      task.rowCount ?? '',
      moment(task.startedAt),
      moment(task.completedAt),
      task.errorMessage,
    ]),
  );
}

function operationsTable(cloud: Cloud): Html {
  const counts = Object.entries(cloud.counter.calls.byOperation).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );
  return table(['Operation', 'Calls'], counts);
}

export function callsPage(cloud: Cloud): Answer {
  const content = html`<h1>Calls</h1>
    <section>${operationsTable(cloud)}</section>
    <section>
      <p class="note">The last requests, the newest first.</p>
      ${table(
        ['Time', 'Operation', 'MID', 'Status'],
        cloud.counter
          .last()
          .map(({ at, operation, mid, status }) => [moment(at), operation, mid, status ?? 'cut']),
      )}
    </section>`;
  return page({ title: 'Calls', place: '/_sim/calls', content });
}

function moment(at: number | null): string {
  return at === null ? '' : new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

export const { home, page, nothingHere } = createConsole('Marketing Cloud simulator', [
  ['/_sim/', 'Account'],
  ['/_sim/tasks', 'Tasks'],
  ['/_sim/calls', 'Calls'],
]);

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
