import type { Client } from '@millrace/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { TextInput } from '../../ui/field.tsx';
import { type Column, Heading, Table } from '../../ui/table.tsx';
import { Trouble } from '../../ui/trouble.tsx';

type Setting = Awaited<ReturnType<Client['settings']>>['settings'][number];

const COLUMNS: readonly Column<Setting>[] = [
  {
    name: 'Setting',
    cell: ({ name, group }) => (
      <div>
        <code className="max-md:break-all">{name}</code>
        <div className="text-small text-ink-3">{group}</div>
      </div>
    ),
  },
  {
    name: 'Value',
    className: 'min-w-36 md:min-w-64',
    cell: ({ value, isSecret, source }) => (
      <span className={source === 'default' ? 'text-ink-2' : 'font-medium'}>
        {value === null ? (
          <span className="text-ink-3">none</span>
        ) : isSecret ? (
          <em>{value}</em>
        ) : (
          <code className="break-all">{value}</code>
        )}
      </span>
    ),
  },
  {
    name: 'Description',
    wide: true,
    cell: ({ description }) => <span className="text-ink-2">{description}</span>,
  },
  { name: 'From', wide: true, cell: ({ source }) => source },
];

/** The settings as they are in force, those that somebody chose first. Secrets say only whether they are set. */
export function Settings() {
  const api = useApi();
  const answer = useQuery({ queryKey: keys.settings(), queryFn: () => api.settings() });
  const [text, setText] = useState('');
  const rows = (answer.data?.settings ?? [])
    .filter(({ name, description }) =>
      `${name} ${description}`.toLowerCase().includes(text.toLowerCase()),
    )
    .toSorted((a, b) => Number(a.source === 'default') - Number(b.source === 'default'));
  if (answer.isError)
    return (
      <div className="px-6">
        <Trouble error={answer.error} />
      </div>
    );
  return (
    <section>
      <Heading title="Settings" note={answer.data && `of ${answer.data.replica}`}>
        <TextInput
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Heading>
      <Table label="Settings" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
    </section>
  );
}
