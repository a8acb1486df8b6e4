import type { ThreadTemplate } from '@millrace/docx';
import { refusalOf } from '../errors.ts';
import { seqOf } from '../ids.ts';
import type { DocumentMetrics } from '../observe.ts';
import { sha256 } from '../one/canonical.ts';
import { type TemplateCache, type TemplateCacheStats, createTemplateCache } from './cache.ts';
import type { TemplateInfo } from './records.ts';
import { notInOrg } from './refusals.ts';
import type { TemplateThreads } from './threads.ts';

/** Templates that are ready to merge: compiled once, and kept in the cache while there is room. */
export interface CompiledTemplates {
  compiled(
    idOrName: string,
    tenant?: string,
    correlationId?: string,
  ): Promise<Compiled & { hit: boolean }>;
  forget(versions: readonly string[], tenant: string): void;
  stats(): TemplateCacheStats;
}

export interface Compiled {
  readonly info: TemplateInfo;
  readonly template: ThreadTemplate;
}

/** Templates that are kept elsewhere: by the id of a version, which never changes. */
export interface TemplateSource {
  has(id: string): boolean;
  /** Null when there is none. */
  fetch(id: string, tenant: string, correlationId?: string): Promise<Uint8Array | null>;
}

interface WithBytes {
  readonly template: TemplateInfo;
  readonly bytes: Uint8Array;
}

export function createCompiledTemplates(params: {
  threads: TemplateThreads;
  metrics: DocumentMetrics;
  elsewhere: TemplateSource | undefined;
  cacheBytes: number | undefined;
  get: (idOrName: string, tenant: string) => Promise<TemplateInfo>;
  bytes: (id: string, tenant: string) => Promise<WithBytes>;
}): CompiledTemplates {
  const { threads, metrics, elsewhere, cacheBytes, get, bytes } = params;
  const cache: TemplateCache<Compiled> = createTemplateCache({
    sizeOf: ({ template, info }) => template.size + info.size,
    onEviction: () => metrics.cacheEviction(),
    ...(cacheBytes !== undefined && { maxBytes: cacheBytes }),
  });

  async function compiledFrom(file: Uint8Array): Promise<ThreadTemplate> {
    try {
      return await threads.compile(file);
    } catch (error) {
      throw refusalOf(error, 'validation_error');
    }
  }

  return {
    async compiled(idOrName, tenant = '', correlationId) {
      const isElsewhere = elsewhere?.has(idOrName) === true;
      const isId = isElsewhere || seqOf('tpl', idOrName) !== null;
      const id = isId ? idOrName : (await get(idOrName, tenant)).id;
      const { value, hit } = await cache.get(cacheKey(id, tenant), async () => {
        const found = await (isElsewhere
          ? fetched(elsewhere, id, tenant, correlationId)
          : bytes(id, tenant));
        return { info: found.template, template: await compiledFrom(found.bytes) };
      });
      if (hit) metrics.cacheHit(id);
      else metrics.cacheMiss(id);
      return { ...value, hit };
    },
    forget(versions, tenant) {
      for (const version of versions) cache.forget(cacheKey(version, tenant));
    },
    stats: () => cache.stats(),
  };
}

async function fetched(
  source: TemplateSource,
  id: string,
  tenant: string,
  correlationId: string | undefined,
): Promise<WithBytes> {
  const bytes = await source.fetch(id, tenant, correlationId);
  if (bytes === null) throw notInOrg(id);
  const facts = { version: 1, sha256: sha256(bytes), size: bytes.length };
  return {
    template: { id, name: id, createdAt: 0, createdBy: null, owner: null, ...facts },
    bytes,
  };
}

/** By tenant too: who knows the number of a version must not get at another tenant's. */
function cacheKey(id: string, tenant: string): string {
  return `${id} ${tenant}`;
}
