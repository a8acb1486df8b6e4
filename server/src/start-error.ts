/** Why the process cannot start, in words that are all its reader needs: shown without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The same of what takes its time. */
export async function inWordsLater<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    return inWords(() => {
      throw error;
    });
  }
}

/** Engine errors here are caused by job files or settings, so our stack is left out. */
export function inWords<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
