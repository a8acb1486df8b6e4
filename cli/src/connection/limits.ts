/**
 * Fires after so long, or when `interrupted` does. The timer holds the controller while the answer is read, long after
 * fetch has returned: AbortSignal.timeout is held by nothing once it stands inside AbortSignal.any, may be collected, and
 * never fires.
 */
export function atMost(ms: number, interrupted: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const late = new DOMException(`timeout after ${ms} ms`, 'TimeoutError');
  setTimeout(() => controller.abort(late), ms).unref();
  return AbortSignal.any([interrupted, controller.signal]);
}

/** The same answer, whose body fails beyond so many bytes: one without an end would fill the memory in time. */
export function noLargerThan(mostBytes: number, response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  let size = 0;
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.length;
        if (size <= mostBytes) controller.enqueue(chunk);
        else controller.error(new Error(`the answer is larger than ${mostBytes} bytes`));
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}
