import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { join, relative } from 'node:path';

const SOURCES = join(import.meta.dirname, '..', 'src');

/** The files of the engine whose functions are called while `work` runs, sorted: V8 counts every call. */
export async function filesPassed(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await session.post('Profiler.stopPreciseCoverage');
    return result
      .filter(({ functions }) => functions.some(isCalled))
      .map(({ url }) => relative(SOURCES, url.startsWith('file:') ? fileURLToPath(url) : url))
      .filter((file) => !file.startsWith('..') && !file.endsWith('.test.ts'))
      .toSorted();
  } finally {
    session.disconnect();
  }
}

/** A getter called "get" is what the test runner makes of an export: it reads a name and runs nothing of the file. */
function isCalled({ functionName, ranges }: Profiler.FunctionCoverage): boolean {
  return functionName !== 'get' && (ranges[0]?.count ?? 0) > 0;
}
