import { bytes, count } from '../../time/words.ts';
import { Meter } from '../../ui/progress.tsx';
import type { Overview } from './overview.ts';

/** What may be used up: calls of a day, slots, connections. Marks where something happens. */
export function Budgets({ budgets }: { budgets: Overview['budgets'] }) {
  if (budgets.length === 0) return null;
  return (
    <section id="budgets">
      <h2 className="mb-2">Budgets</h2>
      <ul className="grid gap-2.5">
        {budgets.map(({ id, name, used, limit, unit, warnAt, stopAt, waiting, detail }) => {
          const said = (value: number): string => (unit === 'bytes' ? bytes(value) : count(value));
          const words = limit === null ? said(used) : `${said(used)} of ${said(limit)}`;
          const marks =
            limit === null
              ? []
              : [warnAt, stopAt].flatMap((mark) => (mark === null ? [] : [mark / limit]));
          return (
            <li key={id} title={detail ?? undefined}>
              <div className="flex justify-between gap-2 text-small">
                <span className="text-ink-2">{name}</span>
                <span className="text-ink-3">
                  {words}
                  {waiting !== null && waiting > 0 && `, ${count(waiting)} wait`}
                </span>
              </div>
              {limit !== null && (
                <Meter
                  used={used}
                  limit={limit}
                  marks={marks}
                  label={`${name}: ${words} ${unit}`}
                />
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
