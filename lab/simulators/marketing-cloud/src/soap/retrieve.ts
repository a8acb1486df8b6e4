import { randomUUID } from 'node:crypto';
import type { Answer } from '@millrace/simulator-kit';
import { compileFilter } from './filters.ts';
import { response } from './envelope.ts';
import { OBJECT_KINDS, type ObjectKind, type Properties } from './records.ts';
import { RetrieveRefusal, type View } from './view.ts';
import { isAllowed } from './scopes.ts';
import { child, children, element, NIL, type Node, textAt, type Xml } from './xml.ts';
import { serverTime } from '../data/dates.ts';
import type { FaultKind } from '../faults.ts';

interface Batch {
  readonly mid: string;
  readonly objectType: string;
  readonly asked: readonly string[];
  readonly rest: readonly Properties[];
}

/** Retrieve, and the batches that ContinueRequest goes on with. */
export function createRetrieve(): (view: View, message: Node) => Answer {
  const batches = new Map<string, Batch>();

  function firstBatch(view: View, request: Node): Batch {
    const objectType = textAt(request, 'ObjectType') ?? '';
    const kind = Object.hasOwn(OBJECT_KINDS, objectType) ? OBJECT_KINDS[objectType] : undefined;
    if (kind === undefined) {
      throw new RetrieveRefusal(`The object type ${objectType} is not valid for retrieve.`);
    }
    if (!isAllowed(view, 'Retrieve', objectType))
      throw new RetrieveRefusal(
        `API Permission Failed. Required Permissions: ${objectType} | Retrieve`,
      );
    const asked = askedFor(objectType, kind, request);
    const filter = compileFilter(child(request, 'Filter'), kind.filterable, kind.bounds);
    const found = kind.records(view).filter((record) => filter(record));
    const rest = objectType === 'AsyncActivityStatus' ? withFaults(found, view) : found;
    return { mid: view.unit.mid, objectType, asked, rest };
  }

  function nextBatch(view: View, id: string): Batch {
    const batch = batches.get(id);
    if (batch === undefined || batch.mid !== view.unit.mid) {
      throw new RetrieveRefusal(`The ContinueRequest ${id} is not known, or is over.`);
    }
    batches.delete(id);
    return batch;
  }

  return (view, message) => {
    const request = child(message, 'RetrieveRequest') ?? {};
    const requestId = randomUUID();
    try {
      const goesOn = textAt(request, 'ContinueRequest');
      const batch = goesOn === null ? firstBatch(view, request) : nextBatch(view, goesOn);
      const size = batchSize(view, request);
      const rest = batch.rest.slice(size);
      if (rest.length > 0) batches.set(requestId, { ...batch, rest });
      return answer(
        rest.length > 0 ? 'MoreDataAvailable' : 'OK',
        requestId,
        batch.rest.slice(0, size).map((record) => resultOf(batch, record)),
      );
    } catch (thrown) {
      if (!(thrown instanceof RetrieveRefusal)) throw thrown;
      return answer(`Error: ${thrown.message}`, requestId, []);
    }
  };
}

function answer(status: string, requestId: string, results: readonly Xml[]): Answer {
  return response('RetrieveResponseMsg', [
    element('OverallStatus', status),
    element('RequestID', requestId),
    ...results,
  ]);
}

/** Options/BatchSize may only make it smaller: "Retrieve large amounts of data" has 2,500 as the most. */
function batchSize({ cloud }: View, request: Node): number {
  const asked = Number(textAt(request, 'Options', 'BatchSize') ?? Number.NaN);
  const most = cloud.settings.batchSize;
  return Number.isInteger(asked) && asked > 0 ? Math.min(asked, most) : most;
}

/** The sentence is Marketing Cloud's own, as users report it. */
function askedFor(objectType: string, { properties }: ObjectKind, request: Node): string[] {
  const asked = children(request, 'Properties').map((each) => textAt(each) ?? '');
  const names = new Map(properties.map((name) => [name.toLowerCase(), name]));
  const wrong = asked.filter((name) => !names.has(name.toLowerCase()));
  if (wrong.length > 0) {
    throw new RetrieveRefusal(
      `The Request Property(s) ${wrong.join(', ')} do not match with the fields of ${objectType} retrieve`,
    );
  }
  return asked.map((name) => names.get(name.toLowerCase()) ?? name);
}

function resultOf({ objectType, asked }: Batch, record: Properties): Xml {
  const type = `xsi:type="${objectType}"`;
  if (objectType !== 'AsyncActivityStatus') return element('Results', nested(asked, record), type);
  // ObjectExtension: names and values, and no Value where there is none.
  const properties = asked.map((name) =>
    element('Property', [
      element('Name', name),
      ...((record[name] ?? null) === null ? [] : [element('Value', record[name] ?? '')]),
    ]),
  );
  return element(
    'Results',
    [
      element('PartnerKey', '', NIL),
      element('ObjectID', '', NIL),
      element('Type', objectType),
      element('Properties', properties),
    ],
    'xsi:type="ObjectExtension"',
  );
}

function nested(asked: readonly string[], record: Properties): Xml[] {
  const outer = new Map<string, string[]>();
  const parts: Xml[] = asked.includes('PartnerKey') ? [] : [element('PartnerKey', '', NIL)];
  for (const name of asked) {
    const [first = '', second] = name.split('.');
    if (second !== undefined) outer.set(first, [...(outer.get(first) ?? []), name]);
    else if (record[name] === null) parts.push(element(name, '', NIL));
    else if (record[name] !== undefined) parts.push(element(name, record[name]));
  }
  for (const [name, inner] of outer) {
    const members = inner.map((each) => element(each.slice(name.length + 1), record[each] ?? ''));
    parts.push(element(name, members));
  }
  return parts;
}

/** The statuses that were found, with what the faults make of each. They are asked once for each status. */
function withFaults(found: readonly Properties[], view: View): Properties[] {
  const { strikes, operation, unit } = view;
  const struck = (kind: FaultKind): boolean =>
    strikes.strikes(kind, { operation, mid: unit.mid }) !== null;
  const given = found.length > 1 && struck('ignores-in') ? found.slice(0, 1) : found;
  return given.flatMap((status) => {
    if (struck('unknown-task')) return [];
    const task = unit.tasks.get(status['TaskID'] ?? '');
    const changed: Record<string, string | null> = { ...status };
    if (struck('no-completed-date')) changed['CompletedDate'] = null;
    else if (task?.completedAt === null && struck('early-completed-date')) {
      changed['CompletedDate'] = serverTime(task.queuedAt);
    }
    const isFailed = task !== undefined && task.errorMessage !== '';
    if (task !== undefined && !isFailed && task.status !== 'FatalError' && struck('stays-queued')) {
      changed['Status'] = 'Queued';
      changed['CompletedDate'] = serverTime(task.queuedAt);
    }
    if (struck('no-status')) changed['Status'] = null;
    return [changed];
  });
}
