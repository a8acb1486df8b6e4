import { type Scope, admitted } from '@millrace/workload-kit';
import type { Batches } from './batch/batches.ts';
import type { Whose } from './belongings.ts';
import type { Documents, PreviewOptions } from './documents.ts';
import { DocumentError } from './errors.ts';
import type { Files } from './files/files.ts';
import { seqOf } from './ids.ts';
import type { GenerateContext } from './one/generate.ts';
import { shared } from './templates/refusals.ts';
import type { Templates } from './templates/templates.ts';

/**
 * The documents as a caller may see them: what is outside of the scope is answered as if it were not there. The service below
 * is asked for one tenant at a time, the one that the thing belongs to; new documents are where their template is.
 */
export function documentsWithin(documents: Documents, scope: Scope) {
  const { templates, files, batches, belongings } = documents;
  const whose: Whose = {
    tenants: scope.tenants,
    ...(scope.owner !== null && { submitter: scope.owner }),
  };
  /** Of a template: most are for everybody of their tenant. */
  const ofTenant: Scope = { ...scope, owner: null };

  async function tenantOf(word: 'file' | 'batch', id: string): Promise<string> {
    const found = admitted(scope, await belongings(word, id));
    if (found !== null) return found.tenant;
    throw word === 'file'
      ? new DocumentError('file_not_found', `There is no file "${id}", or it has expired.`)
      : new DocumentError('batch_not_found', `There is no batch "${id}".`);
  }

  /** Of a name, where new things go. A version that is not the caller's is none that is there either. */
  async function tenantOfTemplate(idOrName: string): Promise<string> {
    if (seqOf('tpl', idOrName) === null) return reached(scope.tenant);
    const found = await belongings('tpl', idOrName);
    const within = admitted(found?.submitter === null ? ofTenant : scope, found);
    return within?.tenant ?? scope.tenant;
  }

  /** Its tenant, where the caller may know of it: somebody else's own is not there. */
  async function tenantOfSeen(idOrName: string): Promise<string> {
    const tenant = await tenantOfTemplate(idOrName);
    if (scope.owner !== null) await templates.get(idOrName, tenant, { owner: scope.owner });
    return tenant;
  }

  function reached(tenant: string): string {
    scope.accessTrace?.touched([tenant]);
    return tenant;
  }

  /** What a list has shown is of all tenants that it could be of. */
  async function listed<T>(list: Promise<{ items: T[]; next: string | null }>) {
    const page = await list;
    if (page.items.length > 0) scope.accessTrace?.touched(scope.tenants);
    return page;
  }

  return {
    templates: {
      add: (params: Omit<Parameters<Templates['add']>[0], 'tenant'>) =>
        // A member's is their own.
        templates.add({ ...params, tenant: reached(scope.tenant), owner: scope.owner }),
      list: (params: Parameters<Templates['list']>[0]) =>
        listed(templates.list({ ...params, tenants: scope.tenants, owner: scope.owner })),
      async versions(idOrName: string, params: Parameters<Templates['versions']>[1]) {
        const tenant = await tenantOfTemplate(idOrName);
        const { name } = await templates.get(idOrName, tenant, scope);
        return templates.versions(name, { ...params, tenant });
      },
      get: async (id: string) => templates.get(id, await tenantOfTemplate(id), scope),
      bytes: async (id: string) => templates.bytes(id, await tenantOfSeen(id)),
      async remove(id: string) {
        const tenant = await tenantOfTemplate(id);
        const { name, owner } = await templates.get(id, tenant, scope);
        if (scope.owner !== null && owner === null) throw shared(name);
        return templates.remove(id, tenant);
      },
      report: async (id: string) => templates.report(id, await tenantOfSeen(id)),
      lint: (bytes: Uint8Array) => templates.lint(bytes),
    },
    files: {
      list: (params: Parameters<Files['list']>[0]) => listed(files.list({ ...params, ...whose })),
      get: async (id: string) => files.get(id, await tenantOf('file', id)),
      async read(id: string, options: Omit<NonNullable<Parameters<Files['read']>[1]>, 'tenant'>) {
        return files.read(id, { ...options, tenant: await tenantOf('file', id) });
      },
      remove: async (id: string) => files.remove(id, await tenantOf('file', id)),
    },
    batches: {
      async create(
        settings: Parameters<Batches['create']>[0],
        source: Parameters<Batches['create']>[1],
        context: Omit<NonNullable<Parameters<Batches['create']>[2]>, 'tenant'>,
      ) {
        const tenant = await tenantOfTemplate(settings.templateId);
        return batches.create(settings, source, { ...context, tenant });
      },
      async check(
        settings: Parameters<Batches['check']>[0],
        source: Parameters<Batches['check']>[1],
        signal: AbortSignal | undefined,
      ) {
        const tenant = await tenantOfTemplate(settings.templateId);
        return batches.check(settings, source, { tenant, signal, owner: scope.owner });
      },
      list: (params: Parameters<Batches['list']>[0]) =>
        listed(batches.list({ ...params, ...whose })),
      get: async (id: string) => batches.get(id, await tenantOf('batch', id)),
      async items(id: string, params: Parameters<Batches['items']>[1]) {
        return batches.items(id, { ...params, tenant: await tenantOf('batch', id) });
      },
      cancel: async (id: string) => batches.cancel(id, await tenantOf('batch', id)),
      retry: async (id: string) => batches.retry(id, await tenantOf('batch', id)),
      failed: async (id: string) => batches.failed(id, await tenantOf('batch', id)),
      async correct(id: string, source: Parameters<Batches['correct']>[1]) {
        return batches.correct(id, source, await tenantOf('batch', id));
      },
      merged: async (id: string) => batches.merged(id, await tenantOf('batch', id)),
    },
    archive: async (id: string) => documents.archive(id, await tenantOf('batch', id)),
    /** `tenant`: of the org whose record waits for it, where one does. */
    async generate(
      envelope: Parameters<Documents['generate']>[0],
      context: GenerateContext & { readonly tenant: string | undefined },
    ) {
      const tenant = context.tenant ?? (await tenantOfTemplate(envelope.templateId));
      return documents.generate(envelope, { ...context, tenant: reached(tenant) });
    },
    async preview(
      id: string,
      data: Record<string, unknown>,
      options: Omit<PreviewOptions, 'tenant' | 'owner'>,
    ) {
      return documents.preview(id, data, {
        ...options,
        tenant: await tenantOfTemplate(id),
        owner: scope.owner,
      });
    },
  };
}

export type DocumentsWithin = ReturnType<typeof documentsWithin>;
