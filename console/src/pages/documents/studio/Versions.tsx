import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, GitCompare } from 'lucide-react';
import { useApi } from '../../../data/client.ts';
import { download } from '../../../data/download.ts';
import { useMay } from '../../../data/roles.ts';
import { Time } from '../../../time/Time.tsx';
import { bytes } from '../../../time/words.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Trouble } from '../../../ui/trouble.tsx';

export function useVersions(name: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['versions', name],
    queryFn: async () =>
      (await api.listTemplateVersions({ params: { id: name }, query: { limit: 50 } })).templates,
  });
}

/** Newest first; each can be looked at, compared with the one shown, and taken as a file. */
export function Versions({ name, shown }: { name: string; shown: string }) {
  const api = useApi();
  const may = useMay('downloadTemplate');
  const versions = useVersions(name);
  return (
    <section className="px-4 py-3">
      <h2 className="mb-1">Versions</h2>
      {versions.isError && <Trouble error={versions.error} />}
      <ul>
        {versions.data?.map(({ id, version, createdAt, createdBy, size }, index) => (
          <li key={id} className="border-b border-line-soft py-2">
            <div className="flex items-center gap-2">
              <Link
                to="/documents/templates/$name"
                params={{ name }}
                search={index === 0 ? {} : { version: id }}
                aria-current={id === shown ? 'page' : undefined}
                className="font-medium hover:underline aria-[current=page]:text-link"
              >
                Version {version}
              </Link>
              {id === shown && <span className="text-small text-ink-3">shown</span>}
              <code className="ml-auto text-ink-3">{id}</code>
            </div>
            <p className="truncate text-small text-ink-3">
              <Time at={createdAt} />, {bytes(size)}
              {createdBy !== null && `, ${createdBy}`}
            </p>
            <div className="mt-1 flex flex-wrap gap-1.5">
              {id !== shown && (
                <ButtonLink
                  size="small"
                  to="/documents/templates/$name"
                  params={{ name }}
                  search={{ version: shown, with: id }}
                  icon={<GitCompare size={13} />}
                >
                  Compare
                </ButtonLink>
              )}
              <Button
                size="small"
                look="ghost"
                icon={<Download size={13} />}
                why={may.why}
                onClick={() =>
                  void download(`${name}-${version}.docx`, () =>
                    api.downloadTemplate({ params: { id } }),
                  )
                }
              >
                DOCX
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
