import type { Documents } from '@millrace/documents';
import { type Handlers, ok } from '../http/handler.ts';
import { fileHeaders } from './download.ts';
import { fileJson } from './json/document.ts';

export function generateHandlers({ generate }: Documents): Handlers<'generate'> {
  return {
    async generate({ body: envelope, caller, correlationId, signal, headers }) {
      const context = { correlationId, submitter: caller?.name, signal };
      const { output, docx, cached, timings, body } = await generate(envelope, context);
      const answer = ok({
        file: fileJson(output),
        docx: docx === null ? null : fileJson(docx),
        cached,
        timings,
        correlationId,
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
