import type { LintReport } from '@millrace/docx';
import { type HandlersOf, fileHeaders, ok } from '@millrace/workload-kit';
import {
  DOCX_TYPE,
  type LintReport as LintJson,
  type templateContracts,
} from '../contract/templates.ts';
import type { DocumentsWithin } from '../within.ts';
import { templateJson } from './json.ts';
import type { WholeUploads } from './uploads.ts';

const TYPES = { PDF: 'application/pdf', DOCX: DOCX_TYPE, PNG: 'image/png' };

export function templateHandlers(
  { templates, preview }: DocumentsWithin,
  whole: WholeUploads,
): HandlersOf<typeof templateContracts> {
  return {
    async addTemplate({ params: { id: name }, upload, caller }) {
      const by = caller?.name;
      const { template, created, lint } = await whole(
        upload,
        (bytes) => templates.add({ name, bytes, by }),
        { by },
      );
      const body = { template: templateJson(template), created, lint: lintJson(lint) };
      return { status: created ? 201 : 200, body };
    },
    async listTemplates({ query }) {
      const { items, next } = await templates.list(query);
      return ok({ templates: items.map(templateJson), next });
    },
    async getTemplate({ params: { id } }) {
      const template = await templates.get(id);
      const lint = await templates.report(template.id);
      return ok({ template: templateJson(template), lint: lintJson(lint) });
    },
    async listTemplateVersions({ params: { id }, query }) {
      const { items, next } = await templates.versions(id, query);
      return ok({ templates: items.map(templateJson), next });
    },
    async downloadTemplate({ params: { id } }) {
      const { template, bytes } = await templates.bytes(id);
      return { ...ok(undefined), bytes, headers: fileHeaders(`${template.name}.docx`, DOCX_TYPE) };
    },
    async deleteTemplate({ params: { id } }) {
      return ok(await templates.remove(id));
    },
    async previewTemplate({ params: { id }, body: { data, ...options }, signal }) {
      const bytes = await preview(id, data, { ...options, signal });
      const name = `preview.${options.outputFormat.toLowerCase()}`;
      return { ...ok(undefined), bytes, headers: fileHeaders(name, TYPES[options.outputFormat]) };
    },
    async lintTemplate({ upload, caller }) {
      const by = caller?.name;
      return ok(lintJson(await whole(upload, (bytes) => templates.lint(bytes), { by })));
    },
  };
}

function lintJson({ ok: isFine, problems, fields, fonts, missingFonts }: LintReport): LintJson {
  return {
    ok: isFine,
    problems: [...problems],
    fields: fields.map(({ path, kind, required, conditional, part, paragraph, snippet }) => ({
      path,
      kind,
      required,
      conditional: conditional === true,
      part,
      paragraph,
      snippet,
    })),
    fonts: [...fonts],
    missingFonts: [...missingFonts],
  };
}
