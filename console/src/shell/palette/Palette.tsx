import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';
import { Search } from 'lucide-react';
import { type Command, useCommands } from './commands.ts';

/** Every page and action by name. `>` leaves pages out; a job's id opens the job. */
export function Palette({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  // Not deferred: who types and presses Enter at once means what they typed.
  const found = useCommands(text);
  const chosen = Math.min(at, Math.max(found.length - 1, 0));

  // Closed before it leaves the page, so that the focus goes back to where it was.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    if (command.link !== undefined) void navigate(command.link);
    else command.run?.();
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Command palette"
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="appearing mx-auto mt-[12vh] w-[calc(100vw-24px)] max-w-140 overflow-hidden rounded-sheet bg-raised text-ink shadow-dialog"
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search size={15} className="text-ink-3" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found[chosen] && `palette-${chosen}`}
          aria-label="Command palette"
          value={text}
          placeholder="A page, an action, a job's id…"
          className="h-12 flex-1 bg-transparent text-lead outline-none placeholder:text-ink-3"
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, found.length - 1));
            else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
            else if (event.key === 'Enter') run(found[chosen]);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <ul
        id="palette-list"
        role="listbox"
        aria-label="Found"
        className="max-h-[50vh] overflow-y-auto p-1.5"
      >
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={
              index === chosen
                ? (element) => element?.scrollIntoView({ block: 'nearest' })
                : undefined
            }
            onClick={() => run(command)}
            onMouseMove={() => setAt(index)}
            className="flex min-h-9 items-center gap-2.5 rounded-control px-3 aria-selected:bg-brand-tint"
          >
            {command.icon !== undefined && <command.icon size={15} className="text-ink-3" />}
            <span className="min-w-0 flex-1 truncate">{command.word}</span>
            <small className="text-small text-ink-3">{command.group}</small>
          </li>
        ))}
        {found.length === 0 && (
          <li className="px-3 py-6 text-center text-ink-3">Nothing is called that.</li>
        )}
      </ul>
    </dialog>
  );
}
