import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { need } from '../../../scripts/need.mjs';

// Prisma's own client, made here and not by `prisma generate`: its command line is 230 MB more, and downloads a program at
// each first run. `model.json` is what `prisma generate` of 7.10.0 writes into a client for schema.prisma.

await need('prisma');

const require = createRequire(import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

export interface PrismaClient extends PrismaTransaction {
  $transaction<T>(work: (tx: PrismaTransaction) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

export interface PrismaTransaction {
  readonly order: { create(params: { data: { article: string } }): Promise<{ id: number }> };
  $queryRawUnsafe(sql: string, ...values: unknown[]): Promise<unknown>;
}

interface Runtime {
  getPrismaClient(config: object): new (options: { adapter: unknown }) => PrismaClient;
}

interface Adapter {
  readonly PrismaPg: new (config: { connectionString: string }) => unknown;
}

/** The types of Node have no constructor for it. */
const compiling = (
  globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } }
).WebAssembly;

export function openPrisma(connectionString: string): PrismaClient {
  const { getPrismaClient } = require('@prisma/client/runtime/client') as Runtime;
  const { PrismaPg } = require('@prisma/adapter-pg') as Adapter;
  const compiler = '@prisma/client/runtime/query_compiler_fast_bg.postgresql';
  const Client = getPrismaClient({
    previewFeatures: [],
    clientVersion: '7.10.0',
    engineVersion: '7.10.0',
    activeProvider: 'postgresql',
    inlineSchema: read('schema.prisma'),
    ...(JSON.parse(read('model.json')) as object),
    compilerWasm: {
      importName: './query_compiler_fast_bg.js',
      getRuntime: async () => require(`${compiler}.js`) as unknown,
      async getQueryCompilerWasmModule() {
        const { wasm } = require(`${compiler}.wasm-base64.js`) as { wasm: string };
        return new compiling.Module(Buffer.from(wasm, 'base64'));
      },
    },
  });
  return new Client({ adapter: new PrismaPg({ connectionString }) });
}
