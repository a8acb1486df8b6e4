import { Upload } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';

/** A place to drop a file on, or to choose one with a click or a key. */
export function Drop({
  accept,
  title,
  why,
  isBusy = false,
  onFile,
  children,
}: {
  readonly accept: string;
  readonly title: string;
  readonly why?: string | null;
  readonly isBusy?: boolean;
  onFile(file: File): void;
  readonly children: ReactNode;
}) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const off = why != null;
  return (
    <label
      htmlFor={id}
      title={why ?? undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(!off);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        if (file !== undefined && !off) onFile(file);
      }}
      className={`flex min-h-36 flex-col items-center justify-center gap-1 rounded-node border-[1.5px] border-dashed px-5 py-6 text-center has-focus-visible:outline-2 has-focus-visible:outline-focus ${isOver ? 'border-water-1 bg-water-5' : 'border-line-strong bg-well'} ${off ? '' : 'hover:bg-hover'}`}
    >
      <Upload size={18} className="text-ink-3" aria-hidden="true" />
      <b>{isBusy ? 'Reading…' : title}</b>
      <span className="text-small text-ink-3">{why ?? children}</span>
      <input
        id={id}
        type="file"
        accept={accept}
        disabled={off || isBusy}
        className="sr-only"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) onFile(file);
          event.target.value = '';
        }}
      />
    </label>
  );
}
