import type { NavigateOptions } from '@tanstack/react-router';
import { Clock, Layers, Moon, Plus, Sun, type LucideIcon } from 'lucide-react';
import { choose } from '../../theme/settings.ts';
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
}

const COMMANDS: readonly Command[] = [
  ...SECTIONS.map(({ to, word, icon }): Command => ({
    id: to,
    word,
    group: 'Page',
    icon,
    link: { to },
  })),
  { id: 'enqueue', word: 'Enqueue a job', group: 'Action', icon: Plus, link: { to: '/jobs/new' } },
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
    word: 'Times as how long ago',
    group: 'Setting',
    icon: Clock,
    run: () => choose('time', 'relative'),
  },
];

/** Ids of jobs begin with the name of their store. */
const JOB_ID = /^(pg|mem|redis|sf|bull)[-:][\w:.-]+$/i;

export function useCommands(text: string): readonly Command[] {
  const onlyActions = text.startsWith('>');
  const words = text.replace(/^>/, '').trim().toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ word, also = '', group }: Command): boolean =>
    (!onlyActions || group === 'Action') &&
    words.every((each) => `${word} ${also}`.toLowerCase().includes(each));
  const found = COMMANDS.filter(fits);
  const id = text.trim();
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
