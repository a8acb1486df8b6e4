import { ApiError, contracts, nearest, problemOf } from '@millrace/api';
import type { LintReport } from '@millrace/documents/contract';
import type { CatalogField } from '@millrace/queries/contract';
import type { z } from 'zod';
import { few } from '../input.ts';
import { json, more, plain, present, quoted } from '../text.ts';
import { answer, defineTool } from '../tool.ts';

/** Lists of kinds, templates, tables, reports and pipelines: one line each, or all details of a named one. */

const MOST_SCHEMA = 10_000;

function named<Name extends z.ZodType<string>>(name: Name) {
  return { name: name.optional().describe('Only this one, with all that it takes.') };
}

function listed(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['None.'] : lines;
}

export const listKinds = defineTool({
  name: 'list_kinds',
  title: 'List kinds of jobs',
  about: 'The kinds of jobs. With a name: that one, with the JSON Schema of its data.',
  routes: ['listKinds'],
  effect: 'reads',
  input: contracts.listKinds.query.extend({
    ...named(contracts.pauseKind.params.shape.kind),
    limit: few,
  }),
  async run({ client, options }, { name, ...query }) {
    if (name !== undefined) {
      const { kinds } = await client.listKinds({}, options);
      const kind = kinds.find((each) => each.name === name);
      if (kind === undefined)
        throw noKind(
          name,
          kinds.map((each) => each.name),
        );
      return answer(
        [`${kindLine(kind)}. ${kind.policy}.`, `data: ${json(kind.input, MOST_SCHEMA)}`],
        { kind: present({ ...kind }) },
      );
    }
    const { kinds, next } = await client.listKinds({ query }, options);
    return answer([...listed(kinds.map(kindLine)), ...more(next)], {
      kinds: kinds.map((each) => ({
        name: each.name,
        public: each.public,
        paused: each.paused !== null,
      })),
      next,
    });
  },
});

function kindLine(kind: { name: string; public: boolean; paused: object | null }): string {
  const words = [
    ...(kind.public ? [] : ['not public']),
    ...(kind.paused === null ? [] : ['paused']),
  ];
  return words.length === 0 ? kind.name : `${kind.name} (${words.join(', ')})`;
}

function noKind(name: string, names: readonly string[]): ApiError {
  const meant = nearest(name, names);
  const hint = meant === null ? '' : ` Did you mean "${meant}"?`;
  return new ApiError(problemOf('unknown_kind', `Unknown kind "${name}".${hint}`, ''));
}

export const listTemplates = defineTool({
  name: 'list_templates',
  title: 'List templates',
  about:
    'The templates of documents. With a name: that one, with the fields that its data has to have.',
  routes: ['listTemplates', 'getTemplate'],
  effect: 'reads',
  input: contracts.listTemplates.query.extend({
    ...named(contracts.getTemplate.params.shape.id),
    limit: few,
  }),
  async run({ client, options }, { name, ...query }) {
    if (name !== undefined) {
      const { template, lint } = await client.getTemplate({ params: { id: name } }, options);
      const fields = fieldsOf(lint);
      return answer(
        [
          `${quoted(template.name)} version ${template.version} (${template.id}), ${lint.ok ? 'ready' : 'with errors'}`,
          ...fields.map(
            ({ path, kind, required }) => `${quoted(path)} ${kind}${required ? ', required' : ''}`,
          ),
          ...lint.problems.map(({ severity, message }) => `${severity}: ${quoted(message)}`),
        ],
        {
          template: { id: template.id, name: template.name, version: template.version },
          fields,
          problems: lint.problems.map(({ severity, code, message }) => ({
            severity,
            code,
            message: plain(message),
          })),
        },
        { foreign: true },
      );
    }
    const { templates, next } = await client.listTemplates({ query }, options);
    return answer(
      [
        ...listed(
          templates.map((each) => `${quoted(each.name)} version ${each.version} (${each.id})`),
        ),
        ...more(next),
      ],
      {
        templates: templates.map(({ id, name: called, version }) => ({
          id,
          name: called,
          version,
        })),
        next,
      },
      { foreign: templates.length > 0 },
    );
  },
});

/** Each field once, however often it stands in the template. */
function fieldsOf({ fields }: LintReport): { path: string; kind: string; required: boolean }[] {
  return [...new Set(fields.map(({ path }) => path))].map((path) => {
    const places = fields.filter((each) => each.path === path);
    const [first] = places.toSorted((a, b) => rank(a.kind) - rank(b.kind));
    const required = places.some((each) => each.required && !each.conditional);
    return { path, kind: first?.kind ?? 'value', required };
  });
}

/** Fields that are only tested by a condition are left out if they are shown elsewhere. */
function rank(kind: string): number {
  return kind === 'condition' ? 1 : 0;
}

export const listReports = defineTool({
  name: 'list_reports',
  title: 'List reports',
  about:
    'The reports. With a name: that one, with its parameters, formats, and which rows the caller gets.',
  routes: ['listReports', 'getReport'],
  effect: 'reads',
  input: contracts.listReports.query.extend({
    ...named(contracts.getReport.params.shape.name),
    limit: few,
  }),
  async run({ client, options }, { name, ...query }) {
    if (name !== undefined) {
      const report = await client.getReport({ params: { name } }, options);
      const { title, description, formats, rowsForYou } = report;
      const parameters = report.parameters.map(parameterBrief);
      return answer(
        [
          `${report.name}: ${title}. ${description ?? ''}`,
          `formats: ${formats.join(', ')}. ${rowsForYou}`,
          ...parameters.map((each) => `parameter ${json(each, 2_000)}`),
        ],
        {
          report: present({
            name: report.name,
            title,
            description,
            formats,
            rowsForYou,
            parameters,
          }),
        },
      );
    }
    const { reports, troubled, next } = await client.listReports({ query }, options);
    return answer(
      [
        ...listed(reports.map((each) => `${each.name}: ${each.title}`)),
        ...troubled.map(({ file }) => `The file ${file} is wrong.`),
        ...more(next),
      ],
      { reports: reports.map((each) => ({ name: each.name, title: each.title })), next },
    );
  },
});

export const listPipelines = defineTool({
  name: 'list_pipelines',
  title: 'List pipelines',
  about: 'The pipelines. With a name: that one, with its parameters and steps.',
  routes: ['listPipelines', 'getPipeline'],
  effect: 'reads',
  input: contracts.listPipelines.query.extend({
    ...named(contracts.getPipeline.params.shape.name),
    limit: few,
  }),
  async run({ client, options }, { name, ...query }) {
    if (name !== undefined) {
      const pipeline = await client.getPipeline({ params: { name } }, options);
      const { title, description } = pipeline;
      const parameters = pipeline.parameters.map(parameterBrief);
      const steps = pipeline.steps.map((step) =>
        present({ name: step.name, type: step.type, after: step.after, when: step.when }),
      );
      return answer(
        [
          `${pipeline.name}: ${title}. ${description ?? ''}`,
          ...parameters.map((each) => `parameter ${json(each, 2_000)}`),
          ...steps.map((step) => `step ${json(step, 1_000)}`),
        ],
        { pipeline: present({ name: pipeline.name, title, description, parameters, steps }) },
      );
    }
    const { pipelines, troubled, next } = await client.listPipelines({ query }, options);
    return answer(
      [
        ...listed(pipelines.map((each) => `${each.name}: ${each.title}`)),
        ...troubled.map(({ file }) => `The file ${file} is wrong.`),
        ...more(next),
      ],
      { pipelines: pipelines.map((each) => ({ name: each.name, title: each.title })), next },
    );
  },
});

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly help: string | null;
  readonly required: boolean;
  readonly list: boolean;
  readonly choices: readonly { readonly value: string }[];
  readonly min: string | null;
  readonly max: string | null;
  readonly defaultNow: unknown;
}

function parameterBrief(parameter: Parameter): Record<string, unknown> {
  const { name, type, help, required, list, choices, min, max, defaultNow } = parameter;
  return present({
    name,
    type,
    help,
    required: required || null,
    list: list || null,
    choices: choices.length === 0 ? null : choices.map(({ value }) => value),
    min,
    max,
    default: defaultNow,
  });
}

export const listTables = defineTool({
  name: 'list_tables',
  title: 'List tables for queries',
  about:
    'Data extensions and data views of Marketing Cloud that a query can read. With dataExtension: that one, with its fields.',
  routes: ['getCatalog'],
  effect: 'reads',
  input: contracts.getCatalog.query,
  async run({ client, options }, query) {
    const { mid, mids, dataExtensions, dataViews } = await client.getCatalog({ query }, options);
    const tables = [...dataExtensions, ...dataViews].map(({ name, fields }) => ({ name, fields }));
    if (query.dataExtension === undefined)
      return answer(
        [`Business unit ${mid} of ${mids.join(', ')}.`, ...tables.map(({ name }) => quoted(name))],
        { mid, mids, tables: tables.map(({ name }) => name) },
        { foreign: true },
      );
    return answer(
      tables.map(
        ({ name, fields }) => `${quoted(name)}: ${(fields ?? []).map(fieldWords).join(', ')}`,
      ),
      { mid, tables },
      { foreign: true },
    );
  },
});

function fieldWords({ name, type, isPrimaryKey }: CatalogField): string {
  return `${quoted(name)} ${type}${isPrimaryKey ? ' (key)' : ''}`;
}
