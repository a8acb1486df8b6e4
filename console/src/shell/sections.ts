import {
  Database,
  FileText,
  Gauge,
  Layers,
  type LucideIcon,
  Server,
  ChartColumn,
  Workflow,
} from 'lucide-react';

export interface Section {
  readonly to:
    | '/'
    | '/jobs'
    | '/documents'
    | '/queries'
    | '/reports'
    | '/pipelines'
    | '/operations';
  readonly word: string;
  readonly icon: LucideIcon;
}

/** The pages of the first level, in their order; the first four have a place in the tabs of a phone. */
export const SECTIONS: readonly Section[] = [
  { to: '/', word: 'Overview', icon: Gauge },
  { to: '/jobs', word: 'Jobs', icon: Layers },
  { to: '/documents', word: 'Documents', icon: FileText },
  { to: '/queries', word: 'Queries', icon: Database },
  { to: '/reports', word: 'Reports', icon: ChartColumn },
  { to: '/pipelines', word: 'Pipelines', icon: Workflow },
  { to: '/operations', word: 'Operations', icon: Server },
];
