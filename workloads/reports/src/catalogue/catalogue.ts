import {
  type Checked,
  type Definition,
  type Definitions,
  SERVICES,
  checkServices,
  definitionFolder,
} from '@millrace/workload-kit';
import type { ServiceIdentity } from '../identity/types.ts';
import { reviewReports } from '../rules/review.ts';
import { type ReportDefaults, checkReport } from './report.ts';
import type { Catalogue, CatalogueView, Report, ReportDefinition } from './types.ts';

/** What a file of the folder is. */
type Entry =
  | { readonly is: 'report'; readonly report: Report }
  | { readonly is: 'services'; readonly services: ReadonlyMap<string, ServiceIdentity> };

/** The folder `reports/`: a report in each file, and services.yaml. */
export function createCatalogue(params: {
  readonly folder: string;
  readonly defaults?: ReportDefaults;
  readonly lookEveryMs?: number;
}): Catalogue {
  const { folder, defaults = { timeZone: 'UTC' }, lookEveryMs } = params;
  const files = definitionFolder<Entry>({
    folder,
    check: (name, value) => checkEntry(name, value, defaults),
    review({ definitions, changed, names }) {
      const services = servicesIn(definitions);
      return reviewReports({
        reports: new Map(reportsIn(definitions).map(({ name, value }) => [name, value])),
        services: services === null && names.has(SERVICES) ? null : (services ?? new Map()),
        changed,
        names,
      });
    },
    ...(lookEveryMs !== undefined && { lookEveryMs }),
  });
  let seen: Definitions<Entry> | null = null;
  let view: CatalogueView = viewOf(files.now());

  function now(): CatalogueView {
    const current = files.now();
    if (current !== seen) view = viewOf(current);
    seen = current;
    return view;
  }

  return {
    now,
    load: files.load,
    open: files.open,
    close: files.close,
    onChange: (listener) => files.onChange(() => listener(now())),
    version(name, digest) {
      const found = files.version(name, digest);
      return found === null ? null : reportIn(found);
    },
  };
}

function checkEntry(name: string, value: unknown, defaults: ReportDefaults): Checked<Entry> {
  if (name === SERVICES) {
    const checked = checkServices(value);
    return 'value' in checked ? { value: { is: 'services', services: checked.value } } : checked;
  }
  const checked = checkReport(name, value, defaults);
  return 'value' in checked ? { value: { is: 'report', report: checked.value } } : checked;
}

function viewOf({ inForce, troubled }: Definitions<Entry>): CatalogueView {
  return {
    reports: new Map(reportsIn(inForce).map((report) => [report.name, report])),
    services: servicesIn(inForce) ?? new Map(),
    troubled,
  };
}

function reportsIn(definitions: ReadonlyMap<string, Definition<Entry>>): ReportDefinition[] {
  return [...definitions.values()].flatMap((each) => reportIn(each) ?? []);
}

function reportIn({ value, ...definition }: Definition<Entry>): ReportDefinition | null {
  return value.is === 'report' ? { ...definition, value: value.report } : null;
}

function servicesIn(
  definitions: ReadonlyMap<string, Definition<Entry>>,
): ReadonlyMap<string, ServiceIdentity> | null {
  const value = definitions.get(SERVICES)?.value;
  return value?.is === 'services' ? value.services : null;
}

/**
 * A definition as it was kept with a job, by `text` of the definition: the version that a job runs with may be in no file any
 * more. Null where this version of Millrace does not take it.
 */
export function storedReport(
  name: string,
  text: string,
  defaults: ReportDefaults = { timeZone: 'UTC' },
): Report | null {
  const checked = checkReport(name, JSON.parse(text), defaults);
  return 'value' in checked ? checked.value : null;
}
