import type { FaultSpec } from './fault-rules.ts';
import type { Fault, FaultBoard } from './faults.ts';
import { type Html, html } from './html.ts';

/** The faults that are switched on, a form to switch on another, and what each kind does. */
export function faultsSection<Spec extends FaultSpec, Target>({
  rules: { kinds, members = {} },
  list,
}: FaultBoard<Spec, Target>): Html {
  const faults = list();
  const names: [string, string][] = Object.entries(kinds);
  return html`<section>
    <h2>Faults</h2>
    ${faults.length === 0 ? html`<p>None: everything works.</p>` : table(faults)}
    <form class="row" method="post" action="/_sim/faults">
      <label class="field"
        ><span>Fault</span
        ><select name="kind">
          ${names.map(([kind]) => html`<option>${kind}</option>`)}
        </select></label
      >
      <label class="field"
        ><span>Method</span
        ><select name="method">
          ${['', 'GET', 'POST', 'PATCH', 'DELETE'].map((method) => html`<option value="${method}">${method === '' ? 'every' : method}</option>`)}
        </select></label
      >
      ${inputField('path', 'Path (pattern)', 'text', 'every')}
      ${Object.entries(members).map(([name, { label, type }]) => inputField(name, label, type === 'number' ? 'number' : 'text', ''))}
      ${inputField('times', 'Times', 'number', 'always')}
      ${inputField('every', 'Every n-th', 'number', '1')}
      <button>Switch on</button>
    </form>
    <details>
      <summary>What each does</summary>
      <dl>
        ${names.map(
          ([kind, does]) =>
            html`<dt>${kind}</dt>
              <dd>${does}</dd>`,
        )}
      </dl>
    </details>
  </section>`;
}

function table<Spec extends FaultSpec>(faults: readonly Fault<Spec>[]): Html {
  const rows = faults.map(
    (fault) =>
      html`<tr>
        <td>${fault.kind}</td>
        <td class="path">${where(fault)}</td>
        <td class="number">${String(fault.struck)}</td>
        <td>
          <form method="post" action="/_sim/faults/remove">
            <button class="second" name="id" value="${String(fault.id)}">Take away</button>
          </form>
        </td>
      </tr>`,
  );
  return html`<table>
    <thead>
      <tr>
        <th>Fault</th>
        <th>Where and when</th>
        <th class="number">Struck</th>
        <th></th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

function where(fault: Fault<FaultSpec>): string {
  const parts = Object.entries(fault)
    .filter(([name]) => !['id', 'struck', 'kind'].includes(name))
    .map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? 'everywhere, always' : parts.join(', ');
}

export function inputField(
  name: string,
  label: string,
  type: 'text' | 'number',
  placeholder: string,
): Html {
  return html`<label class="field"
    ><span>${label}</span><input type="${type}" name="${name}" placeholder="${placeholder}" min="1"
  /></label>`;
}
