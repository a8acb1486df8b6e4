import { useSyncExternalStore } from 'react';
import { Undo2, X } from 'lucide-react';
import { type Phase, StateIcon } from './state.tsx';

export interface Toast {
  readonly text: string;
  readonly phase?: Phase;
  /** Offered while the toast is there. Where it fails, that is said. */
  readonly undo?: () => Promise<unknown>;
}

/** Long enough to read a sentence and to decide. A toast that has the pointer or the focus stays. */
const SHOWN_MS = 8_000;

let shown: readonly (Toast & { readonly id: number })[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function set(next: typeof shown): void {
  shown = next;
  for (const listener of listeners) listener();
}

export function toast(message: Toast): void {
  const id = nextId++;
  set([...shown.slice(-2), { ...message, id }]);
  setTimeout(() => fade(id), SHOWN_MS);
}

function fade(id: number): void {
  const element = document.getElementById(`toast-${id}`);
  if (element?.matches(':hover, :focus-within')) setTimeout(() => fade(id), 1_000);
  else dismiss(id);
}

function undoNow({ id, undo }: { readonly id: number; readonly undo: () => Promise<unknown> }) {
  dismiss(id);
  undo().catch((error: unknown) =>
    toast({
      text: `Not undone: ${error instanceof Error ? error.message : String(error)}`,
      phase: 'failed',
    }),
  );
}

function dismiss(id: number): void {
  set(shown.filter((each) => each.id !== id));
}

export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-3 bottom-5 z-50 flex flex-col items-center gap-2 max-md:bottom-18"
    >
      {toasts.map(({ id, text, phase = 'succeeded', undo }) => (
        <div
          key={id}
          id={`toast-${id}`}
          className="appearing pointer-events-auto flex max-w-full items-center gap-2.5 rounded-node bg-night px-3.5 py-2.5 text-[#e9f3f3] shadow-dialog"
          style={{ '--knock': '#10272d' } as React.CSSProperties}
        >
          <span className="[&>svg]:text-water-3">
            <StateIcon phase={phase} />
          </span>
          <span className="min-w-0 wrap-anywhere">{text}</span>
          {undo !== undefined && (
            <button
              type="button"
              className="ml-3 inline-flex items-center gap-1.5 rounded-token px-1.5 py-0.5 font-[550] text-[#9fdce4] hover:underline"
              onClick={() => undoNow({ id, undo })}
            >
              <Undo2 size={14} />
              Undo
            </button>
          )}
          <button
            type="button"
            aria-label="Dismiss"
            className="rounded-token p-1 text-[#9fb6ba] hover:text-white"
            onClick={() => dismiss(id)}
          >
            <X size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
