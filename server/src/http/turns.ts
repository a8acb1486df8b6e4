import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on one connection for the answer before theirs; no browser sends any. */
const MOST_WAITING = 32;
/** A connection whose answer nobody reads is closed after this, or twice this; what is read, however slowly, goes on. */
const UNREAD_MS = 30_000;
/** For the rest of a body that was refused: it is read and thrown away, so that the answer arrives and the next request is found. */
const REST_WITHIN_MS = 10_000;

export interface TurnTimes {
  readonly unreadMs: number;
  readonly restWithinMs: number;
}

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * One request of a connection at a time. Node answers all that arrive in one packet at once and keeps what is not read: 800 connections
 * with twelve pipelined requests for the description of the API each took 1.5 GB for minutes, and health 23 s. Memory stays
 * where it is now, and the connections are closed within a minute or so. A request that was sent ahead waits until everything else has
 * been looked at: one after the other without a pause, those of the 800 kept health waiting for 10 s.
 */
export function createTurnServer(
  handle: RequestListener,
  options: ServerOptions,
  { unreadMs, restWithinMs }: TurnTimes = { unreadMs: UNREAD_MS, restWithinMs: REST_WITHIN_MS },
): Server {
  /** Requests of a connection whose turn has not come; a connection that is not here has none under way. */
  const waiting = new WeakMap<Socket, Turn[]>();
  /** Of all connections, those that come next: one for each turn of the event loop. */
  const ready: Turn[] = [];

  function take(turn: Turn): void {
    const { request, response } = turn;
    const { socket } = request;
    response.once('close', () => {
      if (socket.destroyed || request.complete) return next(socket);
      readRest(request, socket, restWithinMs, () => next(socket));
    });
    socket.setTimeout(unreadMs);
    handle(request, response);
  }

  function next(socket: Socket): void {
    const turn = socket.destroyed ? undefined : waiting.get(socket)?.shift();
    if (turn === undefined) waiting.delete(socket);
    else if (ready.push(turn) === 1) setImmediate(takeReady);
  }

  function takeReady(): void {
    const turn = ready.shift();
    if (ready.length > 0) setImmediate(takeReady);
    if (turn === undefined) return;
    if (turn.request.socket.destroyed) next(turn.request.socket);
    else take(turn);
  }

  const server = createServer(options, (request, response) => {
    const { socket } = request;
    const others = waiting.get(socket);
    if (others === undefined) {
      waiting.set(socket, []);
      take({ request, response });
    } else if (others.length < MOST_WAITING) others.push({ request, response });
    else socket.destroy();
  });
  server.on('timeout', (socket: Socket) => {
    // Between two requests it is the time for which a connection is kept. A request that only takes long has nothing to be read.
    if (!waiting.has(socket) || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(unreadMs);
  });
  return server;
}

function readRest(
  request: IncomingMessage,
  socket: Socket,
  withinMs: number,
  then: () => void,
): void {
  const timer = setTimeout(() => socket.destroy(), withinMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
  request.once('end', () => {
    clearTimeout(timer);
    then();
  });
  request.resume();
}
