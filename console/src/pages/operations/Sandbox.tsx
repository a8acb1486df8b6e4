import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { Empty } from '../../ui/empty.tsx';
import { Heading } from '../../ui/table.tsx';

/** What runs beside the service to try it with: look inside, and switch faults on. */
export function Sandbox() {
  const api = useApi();
  const { data } = useQuery({ queryKey: ['sandbox'], queryFn: () => api.sandboxPages() });
  if (data?.pages.length === 0)
    return (
      <Empty title="No simulators">
        In the sandbox, this page links to the simulated Salesforce org, Marketing Cloud account and
        issuer, and to the faults you can switch on there.
      </Empty>
    );
  return (
    <section>
      <Heading title="Simulators" note="they exist on this machine alone" />
      <ul className="px-6 max-md:px-4">
        {data?.pages.map(({ name, url, what }) => (
          <li key={url} className="border-t border-line-soft py-2.5">
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1.5 font-[550] text-link hover:underline"
            >
              {name} <ExternalLink size={13} />
            </a>
            <p className="text-ink-2">{what}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
