import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { useApi } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import { DOCX_TYPE } from '../things.ts';

/** The next version, whatever the file is called. */
export function UploadVersion({ name }: { name: string }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const may = useMay('addTemplate');
  const input = useRef<HTMLInputElement>(null);
  const add = useMutation({
    mutationFn: (file: File) =>
      api.addTemplate({ params: { name }, upload: { type: DOCX_TYPE, bytes: file } }),
    onSuccess: ({ template, created }) => {
      for (const queryKey of [keys.templates(), keys.template(name), ['versions', name]])
        void queries.invalidateQueries({ queryKey });
      toast({
        text: created ? `Version ${template.version} is kept` : 'It is the newest version already',
      });
      void navigate({ to: '/documents/templates/$name', params: { name } });
    },
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
  });
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".docx"
        className="hidden"
        aria-label="File of the new version"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) add.mutate(file);
          event.target.value = '';
        }}
      />
      <Button
        icon={<Upload size={14} />}
        why={may.why}
        disabled={add.isPending}
        onClick={() => input.current?.click()}
      >
        New version
      </Button>
    </>
  );
}
