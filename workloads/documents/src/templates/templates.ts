import { type LintReport, withInstalledFonts } from '@millrace/docx';
import { type Database, texts } from '@millrace/store-postgres';
import { z } from 'zod';
import {
  type Page,
  type PageParams,
  badCursor,
  numberCursor,
  page,
  pageLimit,
} from '@millrace/workload-kit';
import type { Whose } from '../belongings.ts';
import { sha256 } from '../one/canonical.ts';
import { DocumentError, refusalOf } from '../errors.ts';
import { seqOf } from '../ids.ts';
import { nearestTemplate } from './nearest.ts';
import type { DocumentMetrics } from '../observe.ts';
import type { TemplateCacheStats } from './cache.ts';
import {
  type CompiledTemplates,
  type TemplateSource,
  createCompiledTemplates,
} from './compiled.ts';
import { type TemplateInfo, templateRows } from './records.ts';
import { inUse, notFound, shared } from './refusals.ts';
import { createReports } from './reports.ts';
import type { TemplateThreads } from './threads.ts';

export interface Templates {
  /** A new version, compiled and linted first. The same bytes as the newest version give that version. */
  add(params: {
    name: string;
    bytes: Uint8Array;
    by?: string | undefined;
    tenant?: string | undefined;
    /** Whose it is to be alone; left out, everybody's of the tenant. */
    owner?: string | null | undefined;
  }): Promise<{ template: TemplateInfo; created: boolean; lint: LintReport }>;
  /** The newest version of each, by name. */
  list(params?: PageParams & Pick<Whose, 'tenants'> & Reader): Promise<Page<TemplateInfo>>;
  /** Newest first. */
  versions(
    name: string,
    params?: PageParams & { tenant?: string | undefined },
  ): Promise<Page<TemplateInfo>>;
  /** By id, or by name for its newest version. */
  get(idOrName: string, tenant?: string, reader?: Reader): Promise<TemplateInfo>;
  bytes(idOrName: string, tenant?: string): Promise<{ template: TemplateInfo; bytes: Uint8Array }>;
  /** A name means all its versions. Refused while a job or a batch that is not over uses one of them. */
  remove(idOrName: string, tenant?: string): Promise<{ removed: string[] }>;
  /** What lint says about a version: made once by each build of the engine, and kept. */
  report(idOrName: string, tenant?: string): Promise<LintReport>;
  lint(
    template: Uint8Array | string,
    options?: { sample?: unknown; schema?: unknown; tenant?: string | undefined },
  ): Promise<LintReport>;
  /** Ready to merge, from the cache if it is there. */
  readonly compiled: CompiledTemplates['compiled'];
  cacheStats(): TemplateCacheStats;
}

/** Who reads. Somebody else's own template is not there for them; without a name everything is. */
export interface Reader {
  readonly owner?: string | null | undefined;
}

const LARGEST_TEMPLATE = 50 * 1024 * 1024;
const LAST_VERSION = 2_147_483_647;
/** Letters of any language, no control characters, nothing that reads as an id. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

export function createTemplates(params: {
  database: Database;
  metrics: DocumentMetrics;
  threads: TemplateThreads;
  /** The version of what lints, kept with its reports. */
  build: string;
  elsewhere?: TemplateSource | undefined;
  cacheBytes?: number | undefined;
  /** Fonts that the office can print with: lint warns of others that a template names. */
  installedFonts?: readonly string[] | undefined;
}): Templates {
  const { database, metrics, threads, build, elsewhere, cacheBytes, installedFonts } = params;

  async function get(
    idOrName: string,
    tenant = '',
    { owner = null }: Reader = {},
  ): Promise<TemplateInfo> {
    const seq = seqOf('tpl', idOrName);
    // Postgres takes no NUL, not even to look for it.
    if (idOrName.includes('\u0000')) throw notFound(idOrName.replaceAll('\u0000', ''));
    const found =
      seq === null
        ? await templateRows.newest(database, tenant, idOrName)
        : await templateRows.bySeq(database, tenant, seq);
    if (found !== null && isSeen(found, { owner })) return found;
    throw notFound(idOrName, await nearestTemplate(database, idOrName, tenant, owner));
  }

  async function bytes(
    idOrName: string,
    tenant = '',
  ): Promise<{ template: TemplateInfo; bytes: Uint8Array }> {
    const seq = seqOf('tpl', idOrName) ?? seqOf('tpl', (await get(idOrName, tenant)).id);
    const found = seq === null ? null : await templateRows.withBytes(database, tenant, seq);
    if (found === null) throw notFound(idOrName);
    return { template: found.info, bytes: found.bytes };
  }

  const reportOf = createReports({ database, threads, build, installedFonts, bytes });
  const ready = createCompiledTemplates({ threads, metrics, elsewhere, cacheBytes, get, bytes });

  return {
    get,
    bytes,
    async add({ name: asked, bytes: given, by, tenant = '', owner = null }) {
      const name = checkName(asked);
      if (owner !== null && name.startsWith(OF_PIPELINES))
        throw new DocumentError(
          'invalid_name',
          `Names that begin with ${OF_PIPELINES} are those of pipelines. Choose another name.`,
        );
      const report = await checked(threads, given);
      const lint = withInstalledFonts(report, installedFonts);
      const hash = sha256(given);
      return database.transaction(async (session) => {
        await templateRows.lock(session, tenant, name);
        const newest = await templateRows.newest(session, tenant, name);
        if (newest !== null) refuseOther(newest, owner, by);
        if (newest?.sha256 === hash) {
          const seq = seqOf('tpl', newest.id) ?? 0;
          await templateRows.keepReport(session, { tenant, seq, build, lint: report });
          return { template: newest, created: false, lint };
        }
        const template = await templateRows.insert(session, {
          tenant,
          name,
          version: (newest?.version ?? 0) + 1,
          sha256: hash,
          bytes: given,
          by: by ?? null,
          lint: report,
          build,
          owner: newest === null ? owner : newest.owner,
        });
        return { template, created: true, lint };
      });
    },
    async list({ tenants = [''], owner = null, ...paging } = {}) {
      const limit = pageLimit(paging);
      const after = readNameCursor(paging.cursor);
      const rows = await templateRows.list(database, { tenants, owner }, after, limit + 1);
      const { items, next } = page(rows, limit, ({ info, tenant }) =>
        Buffer.from(JSON.stringify([info.name, tenant])).toString('base64url'),
      );
      return { items: items.map(({ info }) => info), next };
    },
    async versions(name, { tenant = '', ...paging } = {}) {
      const limit = pageLimit(paging);
      const below = numberCursor(paging, LAST_VERSION);
      const rows = await templateRows.versions(database, tenant, name, below, limit + 1);
      if (rows.length === 0 && paging.cursor === undefined) throw notFound(name);
      return page(rows, limit, ({ version }) => String(version));
    },
    async remove(idOrName, tenant = '') {
      const { name, id } = await get(idOrName, tenant);
      const seq = seqOf('tpl', idOrName);
      const removed = await database.transaction(async (session) => {
        await templateRows.lock(session, tenant, name);
        const versions =
          seq === null
            ? await templateRows.versions(session, tenant, name, LAST_VERSION, 10_000)
            : [];
        // A job may name the template instead of a version; that means the newest one.
        const isNewest = (await templateRows.newest(session, tenant, name))?.id === id;
        const meant = seq === null ? versions.map((version) => version.id) : [id];
        const { jobs, batches } = await templateRows.inUse(
          session,
          tenant,
          texts(isNewest ? [...meant, name] : meant),
        );
        if (jobs + batches > 0) throw inUse(idOrName, jobs, batches);
        return templateRows.remove(session, tenant, name, seq);
      });
      ready.forget(removed, tenant);
      return { removed };
    },
    async report(idOrName, tenant = '') {
      const seq = seqOf('tpl', idOrName) ?? seqOf('tpl', (await get(idOrName, tenant)).id) ?? 0;
      return reportOf(seq, tenant);
    },
    async lint(template, { sample, schema, tenant = '' } = {}) {
      const file = typeof template === 'string' ? (await bytes(template, tenant)).bytes : template;
      const asked = {
        ...(installedFonts !== undefined && { installedFonts }),
        ...(sample !== undefined && { sample }),
        ...(schema !== undefined && { schema }),
      };
      return threads.lint(file, asked).catch((error: unknown) => {
        throw refusalOf(error, 'template_invalid');
      });
    },
    compiled: ready.compiled,
    cacheStats: ready.stats,
  };
}

/** What a pipeline brings along is kept under names of its own. */
export const OF_PIPELINES = 'pipeline:';

/** Only its owner makes documents of it. */
export function mayUse({ owner }: Pick<TemplateInfo, 'owner'>, name: string | null): boolean {
  return owner === null || owner === name;
}

/** Operators see everybody's, and delete what is in the way. */
export function isSeen(template: Pick<TemplateInfo, 'owner'>, { owner = null }: Reader): boolean {
  return owner === null || mayUse(template, owner);
}

/** A name has one owner: a job that names it means the same template whoever looks. */
function refuseOther(
  { name, owner: of }: TemplateInfo,
  owner: string | null,
  by: string | undefined,
): void {
  if (of === owner || (of !== null && of === by)) return;
  if (of === null) throw shared(name);
  throw new DocumentError(
    'template_name_taken',
    `"${name}" is the name of somebody's own template. Choose another name.`,
  );
}

function checkName(asked: string): string {
  const name = asked.trim().normalize('NFC');
  if (!NAME.test(name))
    throw new DocumentError(
      'invalid_name',
      'A template is named with 1 to 200 characters, without control characters.',
    );
  if (seqOf('tpl', name) !== null)
    throw new DocumentError(
      'invalid_name',
      `"${name}" reads as the id of a version. Choose another name.`,
    );
  return name;
}

/** Compiles and lints before anything is stored: a template that cannot be merged is refused. */
async function checked(threads: TemplateThreads, bytes: Uint8Array): Promise<LintReport> {
  if (bytes.length > LARGEST_TEMPLATE)
    throw new DocumentError(
      'template_too_large',
      `A template has at most ${LARGEST_TEMPLATE / 1024 / 1024} MB; this one has ${Math.ceil(bytes.length / 1024 / 1024)}. Make its pictures smaller.`,
    );
  try {
    return await threads.check(bytes);
  } catch (error) {
    throw refusalOf(error, 'template_invalid');
  }
}

/** Name and tenant of the last template given: several tenants may have one of the same name. */
const nameCursor = z.tuple([z.string(), z.string()]);

function readNameCursor(cursor: string | undefined): readonly [name: string, tenant: string] {
  if (cursor === undefined) return ['', ''];
  const text = Buffer.from(cursor, 'base64url').toString();
  if (text.includes('\\u0000') || Buffer.from(text).toString('base64url') !== cursor)
    throw badCursor();
  try {
    return nameCursor.parse(JSON.parse(text));
  } catch {
    throw badCursor();
  }
}
