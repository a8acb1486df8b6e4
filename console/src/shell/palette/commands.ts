import type { RouteName } from '@millrace/api';
import { type NavigateOptions, useMatchRoute, useParams } from '@tanstack/react-router';
import {
  Ban,
  Bookmark,
  Clock,
  Copy,
  FileText,
  Layers,
  Moon,
  Play,
  Plus,
  Repeat,
  Server,
  Sun,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { use } from 'react';
import { MeContext, useApp } from '../../data/client.ts';
import { mayCall } from '../../data/roles.ts';
import { useSaved } from '../../data/saved.ts';
import { savedBatch } from '../../pages/documents/again/again.ts';
import { jobsSearch } from '../../pages/jobs/search.ts';
import { OPERATION_TABS, type OperationTab } from '../../pages/operations/tabs.ts';
import { choose } from '../../theme/settings.ts';
import { copy } from '../../ui/copy.ts';
import { toast } from '../../ui/toast.tsx';
import { SECTIONS } from '../sections.ts';

export interface Command {
  readonly id: string;
  readonly word: string;
  readonly group: 'Page' | 'Action' | 'Job' | 'Setting';
  readonly icon?: LucideIcon;
  /** Other words that people look for it by. */
  readonly also?: string;
  readonly link?: NavigateOptions;
  readonly run?: () => void;
  /** Its target; hidden from people who may not call it. */
  readonly needs?: RouteName;
}

const NEEDED: Readonly<Partial<Record<OperationTab, RouteName>>> = {
  audit: 'listAudit',
  tenants: 'listTenants',
  settings: 'settings',
};

const COMMANDS: readonly Command[] = [
  ...SECTIONS.map(({ to, word, icon }): Command => ({
    id: to,
    word,
    group: 'Page',
    icon,
    link: { to },
  })),
  {
    id: 'enqueue',
    word: 'Enqueue a job',
    group: 'Action',
    icon: Plus,
    link: { to: '/jobs/new' },
    needs: 'enqueue',
  },
  {
    id: 'batch',
    word: 'New batch of documents',
    group: 'Action',
    icon: Plus,
    also: 'spreadsheet letters',
    link: { to: '/documents/new' },
    needs: 'createBatch',
  },
  {
    id: 'tour',
    word: 'Take the tour',
    group: 'Action',
    icon: Plus,
    also: 'welcome help first',
    link: { to: '/welcome' },
  },
  ...(['templates', 'files'] as const).map((tab): Command => ({
    id: tab,
    word: tab === 'templates' ? 'Templates' : 'Files',
    group: 'Page',
    icon: FileText,
    also: 'documents',
    link: { to: '/documents', search: { tab } },
  })),
  {
    id: 'graph',
    word: 'Dependencies of reports',
    group: 'Page',
    icon: Workflow,
    also: 'reports graph',
    link: { to: '/reports', search: { view: 'graph' } },
  },
  ...OPERATION_TABS.filter((tab) => tab !== 'now').map((tab): Command => ({
    id: tab,
    word: tab.charAt(0).toUpperCase() + tab.slice(1),
    group: 'Page',
    icon: Server,
    also: 'operations',
    link: { to: '/operations', search: { tab } },
    ...(NEEDED[tab] !== undefined && { needs: NEEDED[tab] }),
  })),
  ...(['running', 'retrying'] as const).map((phase): Command => ({
    id: phase,
    word: `${phase.charAt(0).toUpperCase() + phase.slice(1)} jobs`,
    group: 'Page',
    icon: Layers,
    link: { to: '/jobs', search: { phase } },
  })),
  {
    id: 'failed',
    word: 'Failed jobs',
    group: 'Page',
    icon: Layers,
    link: { to: '/jobs', search: { state: 'FAILED' } },
  },
  {
    id: 'light',
    word: 'Light theme',
    group: 'Setting',
    icon: Sun,
    run: () => choose('theme', 'light'),
  },
  {
    id: 'dark',
    word: 'Dark theme',
    group: 'Setting',
    icon: Moon,
    run: () => choose('theme', 'dark'),
  },
  {
    id: 'utc',
    word: 'Times in UTC',
    group: 'Setting',
    icon: Clock,
    run: () => choose('time', 'utc'),
  },
  {
    id: 'local',
    word: 'Times in local time',
    group: 'Setting',
    icon: Clock,
    run: () => choose('time', 'local'),
  },
  {
    id: 'relative',
    word: 'Relative times',
    group: 'Setting',
    icon: Clock,
    run: () => choose('time', 'relative'),
  },
];

/** The person's saved views, and batches to repeat. */
function useOwn(): readonly Command[] {
  const views = useSaved('views', jobsSearch) ?? [];
  const batches = useSaved('batches', savedBatch) ?? [];
  return [
    ...views.map(({ name, value }): Command => ({
      id: `view ${name}`,
      word: name,
      group: 'Page',
      icon: Bookmark,
      also: 'view jobs',
      link: { to: '/jobs', search: value },
    })),
    ...batches.map(({ name, value: { template } }): Command => ({
      id: `again ${name}`,
      word: `Repeat: ${name}`,
      group: 'Action',
      icon: Repeat,
      also: 'batch documents',
      link: { to: '/documents/new', search: { template, again: name } },
      needs: 'createBatch',
    })),
  ];
}

/** Ids of jobs begin with the name of their store, such as `pg-7` or that of an org: `salesforce-a03…`. */
const JOB_ID = /^[a-z][a-z0-9]*[-:][\w:.-]*\d[\w:.-]*$/i;

/** The actions for a job, on its page or by its id. If one is not possible, the server's message says why. */
function useVerbs(typed: string): readonly Command[] {
  const { api, queries } = useApp();
  const { id: shown } = useParams({ strict: false });
  const isOnPage = useMatchRoute()({ to: '/jobs/$id' }) !== false;
  const id = JOB_ID.test(typed) ? typed : isOnPage ? shown : undefined;
  if (id === undefined) return [];
  const params = { params: { id } };
  // The state of a job that is not shown is unknown here: the server decides.
  const state = queries.getQueryData<{ readonly state?: string }>(['job', id])?.state;
  const canRetry = state === undefined || state === 'FAILED' || state === 'CANCELED';
  const canCancel = state !== 'SUCCEEDED' && state !== 'CANCELED';
  const act = (done: string, call: () => Promise<unknown>) => (): void =>
    void call()
      .then(() => toast({ text: done }))
      .catch((error: unknown) =>
        toast({ text: error instanceof Error ? error.message : String(error), phase: 'failed' }),
      )
      .finally(() => void queries.invalidateQueries({ queryKey: ['job', id] }));
  const verb = (
    name: string,
    word: string,
    icon: LucideIcon,
    rest: Pick<Command, 'run' | 'link' | 'needs' | 'also'>,
  ): Command => ({
    id: `${name} ${id}`,
    word: `${word} ${id}`,
    group: 'Action',
    icon,
    ...rest,
    also: `${id} job ${rest.also ?? ''}`,
  });
  const retry = verb('retry', 'Retry', Play, {
    run: act('Queued again', () => api.retryJob(params)),
    needs: 'retryJob',
    also: 'run again',
  });
  const cancel = verb('cancel', 'Cancel', Ban, {
    run: act('Canceled', () => api.cancelJob(params)),
    needs: 'cancelJob',
    also: 'stop',
  });
  // First what changes nothing: who presses Enter at once.
  return [
    verb('clone', 'Clone and edit', Copy, {
      link: { to: '/jobs/new', search: { from: id } },
      needs: 'enqueue',
      also: 'replay',
    }),
    verb('copy', 'Copy the id', Copy, { run: () => void copy(id, 'Id') }),
    ...(canRetry ? [retry] : []),
    ...(canCancel ? [cancel] : []),
  ];
}

export function useCommands(text: string): readonly Command[] {
  const onlyActions = text.startsWith('>');
  const words = text.replace(/^>/, '').trim().toLowerCase().split(/\s+/).filter(Boolean);
  const me = use(MeContext);
  const fits = ({ word, also = '', group, needs }: Command): boolean =>
    (needs === undefined || mayCall(me, needs).allowed) &&
    (!onlyActions || group === 'Action') &&
    words.every((each) => `${word} ${also}`.toLowerCase().includes(each));
  const id = text.trim();
  const found = [...useVerbs(id), ...COMMANDS, ...useOwn()].filter(fits);
  if (!JOB_ID.test(id)) return found;
  return [
    {
      id: 'job',
      word: `Open job ${id}`,
      group: 'Job',
      icon: Layers,
      link: { to: '/jobs/$id', params: { id } },
    },
    ...found,
  ];
}
