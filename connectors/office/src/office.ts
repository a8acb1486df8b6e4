import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lentAccount } from './sandbox/account.ts';
import { OfficeError } from './errors.ts';
import type { Log, OfficeEvent, Timings } from './events.ts';
import { type Version, findOffice } from './find.ts';
import type { Decision } from './processes/way.ts';
import { readFonts } from './fonts.ts';
import { otherFormats } from './processes/formats.ts';
import { refuseName } from './processes/handover.ts';
import type { OnTurn } from './job.ts';
import type { Lane } from './lanes.ts';
import { type PdfOptions, filterOptions } from './options.ts';
import { whyNotDocx } from './page.ts';
import { createPoisonList } from './poison.ts';
import { COVERAGE } from './program/protocol.ts';
import { type Pool, type PoolStats, createPool } from './pool.ts';
import { reachOf } from './sandbox/reach.ts';
import { makeWorkFolder, sweep } from './processes/sweep.ts';

export interface OfficeConfig {
  /** Processes. By default what cores and memory carry, 8 at most. */
  readonly slots?: number;
  /** For one document, once it has a process. 60 s. */
  readonly timeoutMs?: number;
  /** Where the private folder of this office is made. The system's folder for temporary files. */
  readonly workdir?: string;
  /** An installation, its program folder or its soffice. Otherwise the usual places. */
  readonly officePath?: string | undefined;
  /** When a process is replaced: 500 documents or 400 MB. */
  readonly recycleAfter?: { readonly documents?: number; readonly megabytes?: number };
  /** A process that needs more is killed. 1,024 MB. */
  readonly memoryMb?: number;
  readonly log: Log;
  readonly onEvent?: (event: OfficeEvent) => void;
}

export interface RequestOptions {
  /** Who waits: a person (the default), or nobody in particular. */
  readonly lane?: Lane;
  readonly signal?: AbortSignal;
  readonly correlationId?: string;
  readonly onTurn?: OnTurn;
}

export interface Office {
  convert(
    docx: Uint8Array,
    options?: RequestOptions & {
      readonly pdf?: PdfOptions;
      /** The output's name, as "Invoice 7.pdf": Word's FILENAME field prints it. */
      readonly name?: string;
    },
  ): Promise<Conversion>;
  /** Page 1 as a PNG of the given width. */
  thumbnail(
    docx: Uint8Array,
    options: RequestOptions & { readonly width: number },
  ): Promise<Uint8Array>;
  stats(): OfficeStats;
  check(): Promise<OfficeCheck>;
  /** Kills what runs, refuses what waits, and leaves no file behind. */
  close(): Promise<void>;
}

export interface Conversion {
  readonly pdf: Uint8Array;
  readonly timings: Timings;
  /** The first few characters of the text that no font here has, if there are any. They are boxes in the PDF. */
  readonly missingCharacters?: readonly string[];
  /** Under another name the PDF would be another one. */
  readonly printsName?: boolean;
}

export interface OfficeStats extends PoolStats {
  readonly slots: number;
  readonly startedProcesses: number;
  readonly recycledProcesses: number;
  readonly crashedProcesses: number;
  readonly poisonedDocuments: number;
  readonly processes: readonly {
    readonly pid: number;
    readonly state: 'starting' | 'idle' | 'busy';
    readonly documents: number;
    /** After its last document. */
    readonly rssMb: number;
  }[];
}

export interface OfficeCheck {
  readonly ok: boolean;
  readonly version: string | null;
  readonly way: Decision['way'];
  /** The means that keep LibreOffice off the network. */
  readonly network: Decision['network'];
  /** The means that keep LibreOffice from the disk. */
  readonly disk: Decision['disk'];
  readonly detail?: string;
}

const SLOT_MB = 300;
const MOST_SLOTS = 8;
const START_TIMEOUT_MS = 60_000;
const WIDEST = 4_096;
const POISON = { limit: 1_000, forgetAfterMs: 60 * 60_000, now: () => performance.now() };
const NO_STATS: PoolStats = {
  activeJobs: 0,
  queuedJobs: 0,
  completedJobs: 0,
  failedJobs: 0,
  canceledJobs: 0,
  totalConversions: 0,
  retriedJobs: 0,
  timeouts: 0,
};

/** Never fails for want of LibreOffice: `check` says so, and every conversion is refused with `office_missing`. */
export async function openOffice(config: OfficeConfig): Promise<Office> {
  const { log, workdir = tmpdir() } = config;
  refuseNonsense(config);
  const search = await findOffice(config.officePath);
  if ('missing' in search) {
    log.warn({}, search.missing);
    return missingOffice(search.missing);
  }
  const swept = await sweep(workdir);
  if (swept.length > 0)
    log.info({ folders: swept.length }, 'Removed the files of an office that was killed');
  const folder = await makeWorkFolder(workdir);
  const script = childScript();
  const cache = join(folder.path, 'cache');
  await mkdir(cache);
  const { folders: fontFolders, coverage } = await readFonts(cache);
  await writeFile(join(cache, COVERAGE), coverage);
  const slots = config.slots ?? defaultSlots();
  const poison = createPoisonList(POISON);
  const pool = createPool({
    script,
    office: search.found,
    folder: folder.path,
    cache,
    reach: await reachOf({ office: search.found, script, fontFolders, cache }),
    account: await lentAccount(folder.path, fontFolders),
    otherFormats: await otherFormats(search.found),
    slots,
    timeoutMs: config.timeoutMs ?? 60_000,
    memoryMb: config.memoryMb ?? 1_024,
    startTimeoutMs: START_TIMEOUT_MS,
    recycleAfter: { documents: 500, megabytes: 400, ...config.recycleAfter },
    log,
    onEvent: guarded(config),
    poison,
  });
  return {
    ...conversions(pool, search.found.version),
    stats: () => statsOf(pool, slots, poison.size()),
    check: () => checkOf(pool),
    async close() {
      await pool.close();
      await folder.remove();
    },
  };
}

/** A limit of nothing would wait for ever, and with less memory LibreOffice does not even start. */
function refuseNonsense({ slots, timeoutMs, memoryMb, recycleAfter = {} }: OfficeConfig): void {
  const limits = { slots, timeoutMs, ...recycleAfter };
  for (const [name, value] of Object.entries(limits))
    if (value !== undefined && !(value >= 1))
      throw new RangeError(`The office's ${name} must be 1 or more.`);
  if (memoryMb !== undefined && !(memoryMb >= SLOT_MB))
    throw new RangeError(`The office's memoryMb must be ${SLOT_MB} or more.`);
}

/** An error that a listener throws ends no conversion. */
function guarded({ onEvent, log }: OfficeConfig): (event: OfficeEvent) => void {
  return (event) => {
    try {
      onEvent?.(event);
    } catch (error) {
      log.error({ event: event.type, error: String(error) }, 'A listener of the office failed');
    }
  };
}

function conversions(pool: Pool, version: Version): Pick<Office, 'convert' | 'thumbnail'> {
  return {
    async convert(docx, { pdf = {}, name, lane = 'interactive', ...request } = {}) {
      refuseOther(docx);
      refuseName(name);
      const filter = filterOptions(pdf, version);
      const { bytes, timings, missing, printsName } = await pool.submit({
        bytes: docx,
        name,
        task: (files) => ({ type: 'pdf', ...files, filter, password: pdf.password ?? null }),
        lane,
        ...request,
      });
      return {
        pdf: bytes,
        timings,
        ...(missing.length > 0 && { missingCharacters: missing }),
        ...(printsName && { printsName }),
      };
    },
    async thumbnail(docx, { width, lane = 'interactive', ...request }) {
      refuseOther(docx);
      if (!Number.isInteger(width) || width < 1 || width > WIDEST)
        throw new OfficeError('unsupported_option', `A thumbnail is 1 to ${WIDEST} pixels wide.`);
      const task = (files: { input: string; output: string }) => ({
        type: 'png' as const,
        ...files,
        width,
      });
      const { bytes } = await pool.submit({ bytes: docx, task, lane, ...request });
      return bytes;
    },
  };
}

function refuseOther(docx: Uint8Array): void {
  const reason = whyNotDocx(docx);
  if (reason !== null) throw new OfficeError('invalid_document', reason);
}

function statsOf(pool: Pool, slots: number, poisonedDocuments: number): OfficeStats {
  const { started, recycled, crashed } = pool.fleet.totals();
  return {
    ...pool.stats(),
    slots,
    startedProcesses: started,
    recycledProcesses: recycled,
    crashedProcesses: crashed,
    poisonedDocuments,
    processes: pool.fleet.members().map(({ process, state, documents, rssMb }) => {
      return { pid: process.pid, state, documents, rssMb };
    }),
  };
}

async function checkOf({ fleet }: Pool): Promise<OfficeCheck> {
  await fleet.settled;
  const { way, version, network, disk, detail } = fleet.decision() ?? NO_DECISION;
  const reason = detail ?? fleet.trouble();
  return {
    ok: way !== 'none' && reason === null,
    version,
    way,
    network,
    disk,
    ...(reason && { detail: reason }),
  };
}

const NO_DECISION: Decision = { way: 'none', version: null, network: [], disk: [] };

function missingOffice(detail: string): Office {
  const refuse = (): Promise<never> => Promise.reject(new OfficeError('office_missing', detail));
  return {
    convert: refuse,
    thumbnail: refuse,
    stats: () => ({
      ...NO_STATS,
      slots: 0,
      startedProcesses: 0,
      recycledProcesses: 0,
      crashedProcesses: 0,
      poisonedDocuments: 0,
      processes: [],
    }),
    check: () => Promise.resolve({ ok: false, ...NO_DECISION, detail }),
    close: () => Promise.resolve(),
  };
}

/**
 * One more than there are cores: batch work leaves one process to people, and a core should not idle for that.
 * Memory is what is free now, within the limit of the container.
 */
export function defaultSlots(
  cores: number = availableParallelism(),
  freeBytes: number = Math.min(process.availableMemory(), freemem()),
): number {
  const byMemory = Math.floor(freeBytes / (SLOT_MB * 1024 * 1024));
  return Math.max(1, Math.min(MOST_SLOTS, cores + 1, byMemory));
}

/** A process runs what was built: Node 20 reads no TypeScript, also when this file is read from the sources. */
export function childScript(): string {
  const place = import.meta.url.endsWith('.ts') ? '../dist/child.js' : './child.js';
  const script = fileURLToPath(new URL(place, import.meta.url));
  if (!existsSync(script)) throw new Error(`${script} is missing: build it with tsc -b.`);
  return script;
}
