import type { Client } from '@millrace/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi, useApp } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Ago, Time } from '../../time/Time.tsx';
import { fullClock } from '../../time/zone.ts';
import { plural } from '../../time/words.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { HoldButton, ResumeButton } from '../../ui/hold.tsx';

type Schedule = Awaited<ReturnType<Client['listSchedules']>>['schedules'][number];

const COLUMNS: readonly Column<Schedule>[] = [
  { name: 'Schedule', cell: (schedule) => <Named schedule={schedule} /> },
  { name: 'Next', cell: (schedule) => <Next schedule={schedule} /> },
  { name: 'Last job', wide: true, cell: (schedule) => <LastJob schedule={schedule} /> },
  { name: '', align: 'right', cell: (schedule) => <Actions schedule={schedule} /> },
];

export function Schedules() {
  const api = useApi();
  const answer = useQuery({
    queryKey: keys.schedules(),
    queryFn: () => api.listSchedules(),
    // No event says that somebody else paused one.
    refetchInterval: 10_000,
  });
  const all = answer.data?.schedules ?? [];
  if (answer.isSuccess && all.length === 0) {
    return (
      <Empty title="No schedules">
        Kinds and reports declare schedules in their own files, with a time zone and a rule for
        missed runs.
      </Empty>
    );
  }
  return (
    <section>
      <Heading title="Schedules" note={plural(all.length, 'schedule')} />
      <Table label="Schedules" columns={COLUMNS} rows={all} keyOf={({ name }) => name} />
    </section>
  );
}

function Named({
  schedule: { name, kind, cron, timeZone, words, paused, declared },
}: {
  schedule: Schedule;
}) {
  return (
    <div>
      <b className="font-[550]">{name}</b> <code className="text-ink-3">{kind}</code>
      <div className="text-small text-ink-2">
        {words ?? `${cron} in ${timeZone}`}
        {!declared && <span className="text-retrying">; no file declares it any more</span>}
        {paused !== null && (
          <span className="text-paused">
            ; paused by {paused.by ?? 'somebody'} <Ago at={paused.since} />
            {paused.reason !== null && `: “${paused.reason}”`}
          </span>
        )}
      </div>
    </div>
  );
}

function Next({ schedule: { nextTick, next } }: { schedule: Schedule }) {
  if (nextTick === null) return <span className="text-ink-3">never</span>;
  const five = next
    .map((at) => `${fullClock(Date.parse(at), 'local')}   ${fullClock(Date.parse(at), 'utc')}`)
    .join('\n');
  return (
    <details>
      <summary>
        <Time at={nextTick} />
      </summary>
      <pre className="pt-1 text-ink-2">{five}</pre>
    </details>
  );
}

function LastJob({ schedule: { lastJob, lastJobAt } }: { schedule: Schedule }) {
  if (lastJob === null) return <span className="text-ink-3">none yet</span>;
  return (
    <span>
      <Link to="/jobs/$id" params={{ id: lastJob }} className="text-link hover:underline">
        {lastJob}
      </Link>{' '}
      {lastJobAt !== null && <Ago at={lastJobAt} className="text-small text-ink-3" />}
    </span>
  );
}

function Actions({ schedule: { name, paused, declared } }: { schedule: Schedule }) {
  const api = useApi();
  const { queries } = useApp();
  const may = useMay('runSchedule');
  const params = { params: { name } };
  const refresh = (): void => void queries.invalidateQueries({ queryKey: keys.schedules() });
  const run = useMutation({
    mutationFn: () => api.runSchedule(params),
    onSuccess: () => toast({ text: `${name} runs now`, phase: 'queued' }),
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => api.deleteSchedule(params),
    onSuccess: () => toast({ text: `${name} is forgotten` }),
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
    onSettled: refresh,
  });
  const resume = (): Promise<unknown> => api.resumeSchedule(params);
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      {declared ? (
        <Button size="small" why={may.why} disabled={run.isPending} onClick={() => run.mutate()}>
          Run now
        </Button>
      ) : (
        <Button
          size="small"
          look="danger"
          why={may.why}
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Forget
        </Button>
      )}
      {paused === null ? (
        <HoldButton
          word="Pause"
          what={name}
          why={may.why}
          stale="schedules"
          undo={resume}
          hold={(reason) => api.pauseSchedule({ ...params, body: { reason } })}
        />
      ) : (
        <ResumeButton what={name} why={may.why} stale="schedules" resume={resume} />
      )}
    </span>
  );
}
