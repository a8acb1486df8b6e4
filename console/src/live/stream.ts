import type { Client, LiveEvent } from '@millrace/api';

/**
 * A browser has six connections to a server over HTTP/1.1, and six tabs with a stream each would leave none for anything
 * else. So one tab reads the stream and gives what it hears to the others; when it is closed, the next takes over.
 */
export interface Live {
  /** Called with the events of about a quarter of a second. */
  watch(listener: (events: readonly LiveEvent[]) => void): () => void;
  /** Since when the stream is up; null while it is down. */
  readonly status: () => LiveStatus;
  onStatus(listener: () => void): () => void;
}

export type LiveStatus = 'connecting' | 'live' | 'lost';

const NAME = 'millrace.live';
/** Renders four times a second are enough for a person; 500 events a second would be 500. */
const GATHER_MS = 250;

type Message =
  | { readonly type: 'events'; readonly events: readonly LiveEvent[] }
  | { readonly type: 'status'; readonly status: LiveStatus }
  | { readonly type: 'ask' };

/** `tenant`: what this tab is narrowed to. Tabs of another choice hear other events, so they have a stream of their own. */
export function openLive(api: Client, tenant: string | null): Live {
  const name = tenant === null ? NAME : `${NAME} ${tenant}`;
  const listeners = new Set<(events: readonly LiveEvent[]) => void>();
  const statusListeners = new Set<() => void>();
  const channel = new BroadcastChannel(name);
  let status: LiveStatus = 'connecting';
  let leads = false;

  const hear = (events: readonly LiveEvent[]): void => {
    for (const listener of listeners) listener(events);
  };
  const setStatus = (next: LiveStatus): void => {
    status = next;
    for (const listener of statusListeners) listener();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'events') hear(data.events);
    else if (data.type === 'status') setStatus(data.status);
    else if (leads) channel.postMessage({ type: 'status', status } satisfies Message);
  });

  async function lead(): Promise<void> {
    leads = true;
    const tell = (events: readonly LiveEvent[]): void => {
      hear(events);
      channel.postMessage({ type: 'events', events } satisfies Message);
    };
    const report = (next: LiveStatus): void => {
      setStatus(next);
      channel.postMessage({ type: 'status', status: next } satisfies Message);
    };
    await readForEver(api, tell, report);
  }

  // Without locks (a page over plain HTTP from another machine) each tab reads for itself.
  if ('locks' in navigator) void navigator.locks.request(name, lead);
  else void lead();
  channel.postMessage({ type: 'ask' } satisfies Message);

  return {
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    status: () => status,
    onStatus(listener) {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
  };
}

async function readForEver(
  api: Client,
  tell: (events: readonly LiveEvent[]) => void,
  report: (status: LiveStatus) => void,
): Promise<never> {
  const gathered: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = (): void => {
    timer = null;
    tell(gathered.splice(0));
  };
  for (;;) {
    try {
      // A line that broke is opened again by the client; until it is, what pages show may be old.
      for await (const event of api.events({}, { onBreak: () => report('lost') })) {
        if (event.type === 'hello' || event.type === 'live') report('live');
        gathered.push(event);
        timer ??= setTimeout(flush, GATHER_MS);
      }
    } catch {
      // Refused, such as while the session has ended: the page says so by its own calls.
    }
    report('lost');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}
