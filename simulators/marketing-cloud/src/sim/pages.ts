import type { IncomingMessage } from 'node:http';
import { type Answer, createInside } from '@millrace/simulator-kit';
import type { Cloud } from '../cloud.ts';
import { control } from './control.ts';
import { homePage } from './home.ts';
import { nothingHere } from './page.ts';
import { callsPage, dataExtensionPage, queryPage, tasksPage, unitPage } from './views.ts';

/** Everything below `/_sim/`. */
export function createPages(cloud: Cloud): (request: IncomingMessage, body: Buffer) => Answer {
  return createInside({
    faults: cloud.faults,
    home: (wrong) => homePage(cloud, wrong),
    nothingHere,
    view: (path) => view(cloud, path),
    posted: (path, form) => posted(cloud, path, form),
    control: (method, path, body) => control(cloud, method, path, body),
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

function posted(cloud: Cloud, path: string, form: URLSearchParams): 'home' | null {
  switch (path) {
    case 'advance':
      cloud.clock.advance(Math.max(0, Math.trunc(Number(form.get('seconds')) || 0)) * 1000);
      return 'home';
    case 'tokens/expire':
      cloud.tokens.endAll();
      return 'home';
    default:
      return null;
  }
}
