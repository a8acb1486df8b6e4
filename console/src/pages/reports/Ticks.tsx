import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Ago } from '../../time/Time.tsx';

/** When it runs by itself: in words, and the next five times in its own zone and in UTC, since "06:00" alone says nothing. */
export function Ticks({ schedules }: { schedules: readonly string[] }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: keys.schedules(),
    queryFn: () => api.listSchedules(),
    enabled: schedules.length > 0,
  });
  const own = data?.schedules.filter(({ name }) => schedules.includes(name)) ?? [];
  return own.map(({ name, words, cron, timeZone, next, paused }) => (
    <section key={name} className="mt-5">
      <h2>Schedule</h2>
      <p className="mb-1">{words ?? `${cron} in ${timeZone}`}</p>
      {paused !== null && (
        <p className="text-paused">
          Paused by {paused.by ?? 'somebody'} <Ago at={paused.since} />
        </p>
      )}
      <ol>
        {next.map((at) => (
          <li key={at} className="flex justify-between border-b border-line-soft py-1">
            <b className="font-medium">{inZone(at, timeZone)}</b>
            <span className="text-small text-ink-3">{inZone(at, 'UTC')} UTC</span>
          </li>
        ))}
      </ol>
    </section>
  ));
}

function inZone(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(Date.parse(at));
}
