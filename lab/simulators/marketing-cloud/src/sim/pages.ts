import type { IncomingMessage } from 'node:http';
import { type Answer, createInside } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import { control, stateOf } from './control.ts';
import {
  callsPage,
  dataExtensionPage,
  homePage,
  nothingHere,
  queryPage,
  tasksPage,
  unitPage,
} from './views.ts';

/** Everything below `/_sim/`. */
export function createPages(cloud: Cloud): (request: IncomingMessage, body: Buffer) => Answer {
  return createInside({
    faults: cloud.faults,
    timed: { clock: cloud.clock, state: () => stateOf(cloud) },
    home: (wrong) => homePage(cloud, wrong),
    nothingHere,
    view: (path) => view(cloud, path),
    posted: (path) => posted(cloud, path),
    control: (method, path) => control(cloud, method, path),
  });
}

/** `unit/{mid}`, `unit/{mid}/de/{ObjectID}`, `unit/{mid}/query/{ObjectID}`, `tasks`, `calls`. */
function view(cloud: Cloud, [first, mid = '', kind, id = '']: readonly string[]): Answer | null {
  if (first === 'tasks') return tasksPage(cloud);
  if (first === 'calls') return callsPage(cloud);
  const unit = first === 'unit' ? cloud.units.get(mid) : undefined;
  if (unit === undefined) return null;
  if (kind === undefined) return unitPage(cloud, unit);
  const dataExtension = kind === 'de' ? unit.dataExtensions.get(id) : undefined;
  if (dataExtension !== undefined) return dataExtensionPage(unit, dataExtension);
  const query = kind === 'query' ? unit.queries.get(id) : undefined;
  return query === undefined ? null : queryPage(unit, query);
}

function posted(cloud: Cloud, path: string): 'home' | null {
  if (path !== 'tokens/expire') return null;
  cloud.tokens.endAll();
  return 'home';
}
