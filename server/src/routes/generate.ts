import type { Documents, EnvelopeInput, GenerateContext, Generated } from '@millrace/documents';
import { type AppParts, type Handlers, ok } from '../http/handler.ts';
import { failWaiting, findWaiting, finishWaiting } from '../salesforce/interactive.ts';
import { fileHeaders } from './download.ts';
import { fileJson } from './json/document.ts';

export function generateHandlers(
  documents: Documents,
  { orgs }: Pick<AppParts, 'orgs'>,
): Handlers<'generate'> {
  /** With a record that waits for it: the record has the file, its links and its status before the answer leaves. */
  async function make(
    envelope: EnvelopeInput,
    context: GenerateContext & { readonly correlationId: string },
    log: Parameters<typeof failWaiting>[2],
  ): Promise<Generated> {
    const waiting = await findWaiting(orgs, envelope, context.correlationId);
    if (waiting === null) return documents.generate(envelope, context);
    try {
      const generated = await documents.generate(envelope, context);
      await finishWaiting(waiting, envelope, generated, documents.files);
      return generated;
    } catch (error) {
      await failWaiting(waiting, error, log);
      throw error;
    }
  }

  return {
    async generate({ body: envelope, caller, correlationId, signal, headers, log }) {
      const context = { correlationId, submitter: caller?.name, signal };
      const { output, docx, cached, timings, body, warnings } = await make(envelope, context, log);
      if (warnings.length > 0)
        log.warn({ warnings, file: output.id }, 'a document lacks something');
      const answer = ok({
        file: fileJson(output),
        docx: docx === null ? null : fileJson(docx),
        cached,
        timings,
        correlationId,
        ...(warnings.length > 0 && { warnings: [...warnings] }),
      });
      if (headers.accept?.includes('application/json') === true) return answer;
      return {
        ...answer,
        bytes: await body.bytes(),
        headers: {
          ...fileHeaders(body.name, body.mediaType),
          location: `/files/${output.id}/content`,
          'server-timing': Object.entries(timings)
            .map(([step, ms]) => `${step};dur=${ms.toFixed(1)}`)
            .join(', '),
        },
      };
    },
  };
}
