import { type OpenApiDocument, openApi } from '@millrace/api';
import { type DocsPage, docsPage } from '../docs/page.ts';
import { type Handlers, ok } from '../http/handler.ts';

/** Both are made when they are first asked for (60 ms), and once: nothing in them changes while the process runs. */
export function descriptionHandlers({
  version,
}: {
  readonly version: string;
}): Handlers<'openapi' | 'docs'> {
  let document: OpenApiDocument | undefined;
  let page: DocsPage | undefined;
  return {
    async openapi() {
      document ??= openApi({ version });
      return ok({ ...document });
    },
    async docs() {
      document ??= openApi({ version });
      page ??= docsPage(document);
      return {
        status: 200,
        body: page.html,
        headers: { 'content-security-policy': page.csp },
      };
    },
  };
}
