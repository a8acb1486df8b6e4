import { createHash } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Schedule } from '@millrace/engine';
import {
  type Checked,
  type Complaint,
  type Definition,
  type Definitions,
  SERVICES,
  type ServiceIdentity,
  type TroubledFile,
  checkServices,
  definitionFolder,
  nearest,
} from '@millrace/workload-kit';
import { checkInputs } from './definition/inputs.ts';
import { type Pipeline, type PipelineDefinition, checkPipeline } from './definition/pipeline.ts';
import { fileNameOf } from './definition/references.ts';
import type { Plan } from './definition/plan.ts';
import { PipelineError } from './errors.ts';
import type { KeptFile } from './runs/files.ts';
import { START, type StartData } from './step/data.ts';
import type { Works } from './step/work.ts';

/** The folder `pipelines/`, as it is now: a pipeline in each file, and services.yaml with who schedules run as. */
export interface Catalogue {
  now(): CatalogueView;
  /** Reads the folder once. Wrong files are no reason to throw. */
  load(): Promise<void>;
  /** Reads it again, with what the steps of the workloads take, and looks for changes from then on. */
  open(works: Works): Promise<void>;
  close(): Promise<void>;
  /** The files beside the pipeline that it names, as they are now. */
  filesOf(plan: Plan): Promise<KeptFile[]>;
  schedules(): Schedule[];
}

export interface CatalogueView {
  readonly pipelines: ReadonlyMap<string, PipelineDefinition>;
  readonly services: ReadonlyMap<string, ServiceIdentity>;
  readonly troubled: readonly TroubledFile[];
}

/** The pipeline of a name, or why there is none: its file is wrong, or another one was probably meant. */
export function definitionOf(
  { pipelines, troubled }: CatalogueView,
  name: string,
): PipelineDefinition {
  const found = pipelines.get(name);
  if (found !== undefined) return found;
  const [problem] = troubled.find((each) => each.name === name)?.problems ?? [];
  if (problem !== undefined)
    throw new PipelineError(
      'pipeline_not_found',
      `The pipeline "${name}" cannot be run: ${problem.file}, line ${problem.line}, column ${problem.column}: ${problem.message}`,
    );
  const meant = nearest(name, [...pipelines.keys()]);
  const help = meant === null ? '' : ` Did you mean "${meant}"?`;
  throw new PipelineError('pipeline_not_found', `There is no pipeline "${name}".${help}`);
}

type Entry =
  | { readonly is: 'pipeline'; readonly pipeline: Pipeline }
  | { readonly is: 'services'; readonly services: ReadonlyMap<string, ServiceIdentity> };

const MOST_BYTES = 5_000_000;

export function createCatalogue(params: {
  readonly folder: string;
  readonly timeZone: string;
  readonly lookEveryMs?: number;
}): Catalogue {
  const { folder, timeZone, lookEveryMs } = params;
  let works: Works = () => undefined;
  const files = definitionFolder<Entry>({
    folder,
    check: (name, value) => checkEntry(name, value, timeZone),
    review: ({ definitions, names }) => {
      const services = servicesIn(definitions);
      return pipelinesIn(definitions).flatMap(({ name, value }) =>
        [
          ...checkInputs(value, works),
          ...(services === null && names.has(SERVICES) ? [] : strangers(value, services)),
        ].map((complaint) => ({ ...complaint, name })),
      );
    },
    ...(lookEveryMs !== undefined && { lookEveryMs }),
  });

  const now = (): CatalogueView => viewOf(files.now());
  return {
    now,
    load: files.load,
    async open(given) {
      works = given;
      await files.open();
    },
    close: files.close,
    filesOf: (plan) => filesOf(folder, plan),
    schedules: () => schedulesOf(now()),
  };
}

function checkEntry(name: string, value: unknown, timeZone: string): Checked<Entry> {
  if (name === SERVICES) {
    const checked = checkServices(value);
    return 'value' in checked ? { value: { is: 'services', services: checked.value } } : checked;
  }
  const checked = checkPipeline(name, value, { timeZone });
  return 'value' in checked ? { value: { is: 'pipeline', pipeline: checked.value } } : checked;
}

function strangers(
  { schedules }: Pipeline,
  services: ReadonlyMap<string, ServiceIdentity> | null,
): Complaint[] {
  const known = [...(services?.keys() ?? [])];
  return schedules.flatMap(({ as }, index): Complaint[] => {
    if (known.includes(as)) return [];
    const meant = nearest(as, known);
    const help =
      meant === null
        ? `Write it into ${SERVICES}.yaml, with its roles and claims.`
        : `Did you mean ${meant}?`;
    return [{ path: ['schedule', index, 'as'], message: `there is no service ${as}. ${help}` }];
  });
}

function viewOf({ inForce, troubled }: Definitions<Entry>): CatalogueView {
  return {
    pipelines: new Map(pipelinesIn(inForce).map((each) => [each.name, each])),
    services: servicesIn(inForce) ?? new Map(),
    troubled,
  };
}

function pipelinesIn(definitions: ReadonlyMap<string, Definition<Entry>>): PipelineDefinition[] {
  return [...definitions.values()].flatMap(({ value, ...definition }) =>
    value.is === 'pipeline' ? [{ ...definition, value: value.pipeline }] : [],
  );
}

function servicesIn(
  definitions: ReadonlyMap<string, Definition<Entry>>,
): ReadonlyMap<string, ServiceIdentity> | null {
  const value = definitions.get(SERVICES)?.value;
  return value?.is === 'services' ? value.services : null;
}

/** One whose service identity is not there waits until it is. */
function schedulesOf({ pipelines, services }: CatalogueView): Schedule[] {
  return [...pipelines.values()].flatMap(({ name: pipeline, value }) =>
    value.schedules.flatMap((schedule): Schedule[] => {
      const service = services.get(schedule.as);
      if (service === undefined) return [];
      const { name, cron, timeZone, missed, overlap, parameters, as } = schedule;
      const data: StartData = {
        pipeline,
        parameters,
        schedule: name,
        as,
        ...(timeZone !== value.timeZone && { timeZone }),
      };
      const { tenant } = service;
      const job = {
        kind: START,
        data,
        submitter: `service:${as}`,
        ...(tenant !== '' && { tenant }),
      };
      const dataAt = (tick: number): StartData => ({ ...data, at: tick });
      return [{ name, cron, timeZone, missed, overlap, job, dataAt }];
    }),
  );
}

async function filesOf(folder: string, plan: Plan): Promise<KeptFile[]> {
  const names = plan.steps.flatMap(({ input }) =>
    Object.values(input).flatMap((value) => fileNameOf(value) ?? []),
  );
  return Promise.all([...new Set(names)].map((name) => fileOf(folder, name)));
}

async function fileOf(folder: string, name: string): Promise<KeptFile> {
  try {
    const real = await realpath(join(folder, name));
    if (!real.startsWith((await realpath(folder)) + sep)) throw new Error('it leads elsewhere');
    const bytes = await readFile(real);
    if (bytes.length > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PipelineError(
      'pipeline_file_missing',
      `The file "${name}" beside the pipeline cannot be read: ${why}.`,
      { cause: error },
    );
  }
}
