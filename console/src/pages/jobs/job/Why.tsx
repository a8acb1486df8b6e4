import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../data/client.ts';
import { useNow } from '../../../time/now.ts';
import { Time } from '../../../time/Time.tsx';
import { Banner } from '../../../ui/banner.tsx';
import type { Phase } from '../../../ui/state.tsx';
import { visible } from '../../../ui/visible.ts';
import type { Job } from './job.ts';

/** Why the job is where it is, in the words of `explain`, with a count-down where the reason goes away by itself. */
export function Why({ job, phase }: { job: Job; phase: Phase }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['job', job.id, 'explain', job.state, job.runAt],
    queryFn: () => api.explainJob({ params: { id: job.id } }),
  });
  if (data === undefined || phase === 'succeeded') return null;
  const [first = '', ...rest] = visible(data.sentence).split(/(?<=[.;]) /);
  return (
    <Banner
      phase={phase}
      title={<Sentence text={first} />}
      code={data.reason}
      aside={data.until !== null && <CountDown until={data.until} />}
    >
      <Sentence text={rest.join(' ')} />
    </Banner>
  );
}

const MOMENT = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

/** Moments in a sentence of the service, as the reader chose to see moments. */
function Sentence({ text }: { text: string }) {
  return text
    .split(MOMENT)
    .map((part, index) => (MOMENT.test(part) ? <Time key={index} at={part} /> : part));
}

/** Not announced: a screen reader would count every second aloud. */
function CountDown({ until }: { until: string }) {
  const left = Math.max(0, Math.round((Date.parse(until) - useNow()) / 1000));
  if (left === 0) return null;
  const parts = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60];
  const [hours = 0, ...rest] = parts;
  const shown = (hours > 0 ? [hours, ...rest] : rest).map((part, index) =>
    index === 0 ? String(part) : String(part).padStart(2, '0'),
  );
  return (
    <span aria-hidden="true" className="text-figure-2 font-semibold tracking-tight text-ink-2">
      {shown.join(':')}
    </span>
  );
}
