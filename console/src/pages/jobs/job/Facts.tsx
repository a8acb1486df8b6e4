import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Time } from '../../../time/Time.tsx';
import type { Job } from './job.ts';

export function Facts({ job }: { job: Job }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Id', <code key="id">{job.id}</code>],
    [
      'Kind',
      <Link key="kind" to="/jobs" search={{ kind: job.kind }} className="hover:underline">
        <code>{job.kind}</code>
      </Link>,
    ],
    ['Tenant', job.tenant],
    ['Submitted by', job.submitter],
    ['Enqueued', <Time key="made" at={job.createdAt} />],
    ['Due', <Time key="due" at={job.runAt} />],
    ['Ended', job.finishedAt !== null && <Time key="ended" at={job.finishedAt} />],
    ['Replica', job.worker],
    ['Priority', job.priority],
    ['Key', job.key !== null && <code key="key">{job.key}</code>],
    ['Schedule', job.schedule],
    ['About', job.subject],
    ['Webhook', job.webhook],
    [
      'Correlation',
      job.correlationId !== null && (
        <Link
          key="correlation"
          to="/jobs"
          search={{ correlationId: job.correlationId }}
          className="hover:underline"
        >
          <code>{job.correlationId}</code>
        </Link>
      ),
    ],
  ];
  return (
    <section className="border-b border-line px-6 py-3 max-md:px-4">
      <h2 className="mb-1.5">Facts</h2>
      <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-y-1">
        {facts.map(([name, value]) =>
          value === null || value === false || value === '' ? null : (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-ink-3">{name}</dt>
              <dd className="truncate" title={typeof value === 'string' ? value : undefined}>
                {value}
              </dd>
            </div>
          ),
        )}
      </dl>
    </section>
  );
}
