import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { X } from 'lucide-react';
import { IconButton } from './button.tsx';

/** The browser's own dialog: it keeps the focus inside, closes by Escape and gives the focus back. */
export function Dialog({
  title,
  onClose,
  footer,
  wide = false,
  children,
}: {
  readonly title: ReactNode;
  onClose(): void;
  readonly footer?: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  // Not a passive effect: that would be over after the dialog has left the page, and who is gone gives no focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser begins at the first control, which closes; a dialog that asks something begins at what it asks.
    dialog?.querySelector<HTMLElement>('input[type="text"], input:not([type]), textarea')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={`appearing m-auto max-h-[calc(100dvh-32px)] w-[calc(100vw-24px)] flex-col overflow-hidden rounded-sheet bg-raised text-left whitespace-normal text-ink shadow-dialog open:flex ${wide ? 'max-w-215' : 'max-w-140'}`}
    >
      <header className="flex items-center gap-3 border-b border-line px-5 py-3">
        <h1 id="dialog-title" className="min-w-0 flex-1">
          {title}
        </h1>
        <IconButton label="Close" onClick={onClose}>
          <X size={16} />
        </IconButton>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
      {footer !== undefined && (
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-well px-5 py-3">
          {footer}
        </footer>
      )}
    </dialog>
  );
}
