import { DOCX_TYPE, type LintReport as LintJson } from '@millrace/api';
import { DocumentError, type Documents } from '@millrace/documents';
import type { LintReport } from '@millrace/docx';
import { type Handlers, type Upload, ok } from '../http/handler.ts';
import { fileHeaders } from './download.ts';
import { templateJson } from './json/document.ts';

type Names =
  | 'addTemplate'
  | 'listTemplates'
  | 'getTemplate'
  | 'listTemplateVersions'
  | 'downloadTemplate'
  | 'deleteTemplate'
  | 'previewTemplate'
  | 'lintTemplate';

const LARGEST = 50 * 1024 * 1024;
const TYPES = { PDF: 'application/pdf', DOCX: DOCX_TYPE, PNG: 'image/png' };

export function templateHandlers({ templates, preview }: Documents): Handlers<Names> {
  const whole = createUploads();
  return {
    async addTemplate({ params: { name }, upload, caller }) {
      const { template, created, lint } = await whole(upload, (bytes) =>
        templates.add({ name, bytes, by: caller?.name }),
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
      const { name } = await templates.get(id);
      const { items, next } = await templates.versions(name, query);
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
    async lintTemplate({ upload }) {
      return ok(lintJson(await whole(upload, (bytes) => templates.lint(bytes))));
    },
  };
}

/** Held by uploads that come in, wait or are checked: four of the largest, or thousands of common ones. */
const MOST_AT_ONCE = 4 * LARGEST;

/** Files are held whole while they are used; a flood of them is refused before it fills the memory. */
function createUploads() {
  let held = 0;
  return async <T>(upload: Upload | null, use: (bytes: Uint8Array) => Promise<T>): Promise<T> => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of upload?.bytes ?? []) {
        size += chunk.length;
        held += chunk.length;
        if (size > LARGEST)
          throw new DocumentError('template_too_large', 'A template has 50 MB at the most.');
        if (held > MOST_AT_ONCE)
          throw new DocumentError(
            'busy',
            'Too many templates come in at once. Try again shortly.',
            {
              retryable: true,
            },
          );
        chunks.push(chunk);
      }
      return await use(Buffer.concat(chunks));
    } finally {
      held -= size;
    }
  };
}

function lintJson({ ok: isFine, problems, fields, fonts, missingFonts }: LintReport): LintJson {
  return {
    ok: isFine,
    problems: [...problems],
    fields: fields.map(({ path, part, paragraph, snippet }) => ({
      path,
      part,
      paragraph,
      snippet,
    })),
    fonts: [...fonts],
    missingFonts: [...missingFonts],
  };
}
