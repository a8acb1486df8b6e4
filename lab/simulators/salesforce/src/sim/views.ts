import {
  type Answer,
  clockSection,
  createConsole,
  faultsSection,
  html,
  type Html,
} from '@millrace/simulator-kit';
import type { Entry, Journal } from '../http/journal.ts';
import type { FileInside } from '../inside.ts';
import type { SObject } from '../schema/sobject.ts';
import type { Json, JsonObject } from '../soql/render.ts';
import type { Org } from '../org.ts';

/** More would be slow to look at; the newest are shown. */
const MOST_SHOWN = 200;

export function recordsPage(object: SObject, records: readonly JsonObject[]): Answer {
  const fields = columnsOf(object);
  const rows = records.slice(-MOST_SHOWN).toReversed();
  const body = rows.map(
    (record) =>
      html`<tr>
        ${fields.map((name) => html`<td>${cell(name, record[name] ?? null)}</td>`)}
      </tr>`,
  );
  const content = html`<h1>${object.labelPlural}</h1>
    <section>
      <p class="note">
        ${object.name}, ${String(records.length)} in
        all${records.length > rows.length ? html`, the newest ${String(rows.length)} here` : null}.
      </p>
      <table>
        <thead>
          <tr>
            ${fields.map((name) => html`<th>${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${body}
        </tbody>
      </table>
    </section>`;
  return page({ title: object.labelPlural, place: '', content });
}

/** The id, the name, and what an eye can take in: short fields of the object's own. */
function columnsOf(object: SObject): string[] {
  const own = [...object.fields.values()].filter(
    ({ type, name, createable }) =>
      createable &&
      name !== object.nameField &&
      name !== 'OwnerId' &&
      !['longtext', 'base64'].includes(type),
  );
  const first = [
    'Status__c',
    'Kind__c',
    'Attempts__c',
    'LockedUntil__c',
    'Worker__c',
    'ErrorCode__c',
  ];
  const rank = (name: string): number => {
    const place = first.findIndex((each) => name === each || name.endsWith(`__${each}`));
    return place < 0 ? first.length : place;
  };
  const chosen = own.map(({ name }) => name).toSorted((a, b) => rank(a) - rank(b));
  const named = object.nameField === null ? [] : [object.nameField];
  return ['Id', ...named, ...chosen.slice(0, 6), 'CreatedDate'];
}

/** As answers write it; a list shows less of it. */
const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.000\+0000$/;

function cell(name: string, value: Json): Html {
  const text = textOf(value);
  if (name !== 'Id') return html`${text.replace(MOMENT, '$1 $2')}`;
  return html`<a href="${`/_sim/record/${text}`}">${text}</a>`;
}

function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function recordPage(object: SObject, id: string, record: JsonObject): Answer {
  const rows = Object.entries(record)
    .filter(([name]) => name !== 'attributes')
    .map(
      ([name, value]) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td class="whole"><pre>${textOf(value)}</pre></td>
        </tr>`,
    );
  const content = html`<h1>${object.label} ${id}</h1>
    <section>
      <table>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </section>`;
  return page({ title: id, place: '', content });
}

export function filesPage(files: readonly FileInside[]): Answer {
  const rows = files
    .slice(-MOST_SHOWN)
    .toReversed()
    .map(
      (file) =>
        html`<tr>
          <td><a href="${`/_sim/file/${file.versionId}`}">${fileName(file)}</a></td>
          <td class="number">${String(file.size)}</td>
          <td>${file.versionId}</td>
          <td class="whole">
            ${file.parents.map((id) => html`<a href="${`/_sim/record/${id}`}">${id}</a> `)}
            ${file.parents.length === 0 ? 'no record' : null}
          </td>
        </tr>`,
    );
  const content = html`<h1>Files</h1>
    <section>
      <p class="note">${String(files.length)} versions in all.</p>
      <table>
        <thead>
          <tr>
            <th>File</th>
            <th class="number">Bytes</th>
            <th>Version</th>
            <th>Linked to</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </section>`;
  return page({ title: 'Files', place: '/_sim/files', content });
}

export function fileName({ title, extension }: FileInside): string {
  return extension === null ? title : `${title}.${extension}`;
}

export function callsPage(entries: readonly Entry[]): Answer {
  const content = html`<h1>Calls</h1>
    <section>
      <p class="note">The last ${String(entries.length)} requests, the newest first.</p>
      ${callsTable(entries)}
    </section>`;
  return page({ title: 'Calls', place: '/_sim/calls', content });
}

function callsTable(entries: readonly Entry[]): Html {
  const rows = entries.map(
    ({ at, method, path, status, calls }) =>
      html`<tr>
        <td>${new Date(at).toISOString().slice(11, 19)}</td>
        <td>${method}</td>
        <td class="path">${shortened(path)}</td>
        <td class="number">${status === null ? 'cut' : String(status)}</td>
        <td class="number">${String(calls)}</td>
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th>Time</th>
        <th>Method</th>
        <th>Path</th>
        <th class="number">Status</th>
        <th class="number">Calls</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function shortened(path: string): string {
  try {
    const text = decodeURIComponent(path.replaceAll('+', ' '));
    return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  } catch {
    return path.slice(0, 200);
  }
}

export const { home, page, nothingHere } = createConsole('Salesforce simulator', [
  ['/_sim/', 'Org'],
  ['/_sim/files', 'Files'],
  ['/_sim/calls', 'Calls'],
]);

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
