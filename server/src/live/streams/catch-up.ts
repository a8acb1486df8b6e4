import { MORE, changeFrames, moreFrames } from './audience.ts';
import { hasChanges } from './filter.ts';
import { type Frame, eventFrame, joined } from './frames.ts';
import type { Present } from './present.ts';
import type { Batch, Place, Ring } from '../changes/ring.ts';
import type { Stream } from './stream.ts';

const HELLO = eventFrame({ type: 'hello', resumed: false });
const HELLO_AGAIN = eventFrame({ type: 'hello', resumed: true });

export interface Beginning {
  readonly stream: Stream;
  readonly ring: Ring;
  /** Sends the stream the boards that it does not know yet. */
  readonly tellBoards: (stream: Stream) => void;
  /** Adds the stream to the audience: it is sent each change from now on. */
  readonly join: (stream: Stream) => void;
}

/** From the present state to what happens now. A reader who goes on the way ends it. */
export async function begin(parts: Beginning, present: Present): Promise<void> {
  const { stream, tellBoards, join } = parts;
  for (const piece of [HELLO, ...present.pieces]) if (!(await stream.write(piece))) return;
  tellBoards(stream);
  stream.send(eventFrame({ type: 'live' }, present.placeId));
  await catchUp(parts, present.place, () => join(stream));
}

/** From where the reader was to what happens now. */
export async function resume(parts: Beginning, from: Place): Promise<void> {
  const { stream, ring, tellBoards, join } = parts;
  if (!(await stream.write(HELLO_AGAIN))) return;
  await catchUp(parts, from, () => {
    tellBoards(stream);
    stream.send(eventFrame({ type: 'live' }, ring.endId()));
    join(stream);
  });
}

/**
 * Reads on in the ring, at the reader's pace, until nothing is left; `then` is called in that same turn, before
 * anything can be added. Nothing is kept for it: who is overtaken by the end of the ring is told to look for itself.
 */
async function catchUp({ stream, ring }: Beginning, from: Place, then: () => void): Promise<void> {
  let place = from;
  for (;;) {
    const next = hasChanges(stream.topics) ? ring.next(place) : null;
    if (next === null) return then();
    const frames = next === 'lost' ? [MORE] : framesOf(next.batch, stream, place, next.place);
    place = next === 'lost' ? ring.end() : next.place;
    for (const piece of joined(frames)) if (!(await stream.write(piece))) return;
  }
}

function framesOf(batch: Batch, stream: Stream, from: Place, to: Place): Frame[] {
  const after = from.number === to.number ? from.position : 0;
  const frames = changeFrames(batch, stream, after);
  return after < batch.size ? [...frames, ...moreFrames(batch, stream.filter)] : frames;
}
