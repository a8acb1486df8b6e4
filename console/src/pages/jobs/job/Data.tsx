import { Copy } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { copy } from '../../../ui/copy.ts';
import { visible } from '../../../ui/visible.ts';

/** JSON as it is. Long values scroll in their own box. */
export function Data({ title, value }: { title: string; value: unknown }) {
  const text =
    value === null || value === undefined
      ? null
      : typeof value === 'string'
        ? value
        : JSON.stringify(value, null, 2);
  return (
    <section className="border-b border-line px-6 py-3 last:border-0 max-md:px-4">
      <div className="flex items-center">
        <h2>{title}</h2>
        {text !== null && (
          <Button
            look="ghost"
            size="small"
            className="ml-auto"
            icon={<Copy size={13} />}
            onClick={() => void copy(text, title)}
          >
            Copy
          </Button>
        )}
      </div>
      {text === null ? (
        <p className="text-ink-3">Purged, erased, or none.</p>
      ) : (
        <pre
          className="max-h-90 overflow-auto print:max-h-none leading-4.5 text-ink-2"
          tabIndex={0}
          aria-label={title}
        >
          {visible(text)}
        </pre>
      )}
    </section>
  );
}
