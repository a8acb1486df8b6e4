import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { DOCX_TYPE } from './things.ts';
import type { Template } from './types.ts';

/** A Word file becomes the next version of the template of this name, or else of its own. */
export function useAddTemplate(onAdded: (template: Template, created: boolean) => void) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ file, name = templateName(file.name) }: { file: File; name?: string }) =>
      api.addTemplate({ params: { id: name }, upload: { type: DOCX_TYPE, bytes: file } }),
    onSuccess: ({ template, created }) => {
      const { name } = template;
      for (const queryKey of [keys.templates(), keys.template(name), ['versions', name]])
        void queries.invalidateQueries({ queryKey });
      onAdded(template, created);
    },
  });
}

/** `name`: the template that gets another version, whatever the file is called. */
export function UploadTemplate({ name, size }: { name?: string; size?: 'small' }) {
  const navigate = useNavigate();
  const may = useMay('addTemplate');
  const input = useRef<HTMLInputElement>(null);
  const add = useAddTemplate((template, created) => {
    toast({
      text: created
        ? `${template.name} is at version ${template.version}`
        : `${template.name} has this file already`,
    });
    void navigate({ to: '/documents/templates/$name', params: { name: template.name } });
  });
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".docx"
        className="hidden"
        aria-label={name === undefined ? 'Template file' : 'File of the new version'}
        onChange={(event) => {
          const file = event.target.files?.[0];
          const onError = (error: Error): void => toast({ text: error.message, phase: 'failed' });
          if (file !== undefined)
            add.mutate({ file, ...(name !== undefined && { name }) }, { onError });
          event.target.value = '';
        }}
      />
      <Button
        {...(size !== undefined && { size })}
        icon={<Upload size={14} />}
        why={may.why}
        disabled={add.isPending}
        onClick={() => input.current?.click()}
      >
        {name === undefined ? 'Upload a template' : 'New version'}
      </Button>
    </>
  );
}

/** The name of the file without its ending, in characters that a name may have. */
function templateName(file: string): string {
  return file
    .replace(/\.docx$/i, '')
    .trim()
    .replaceAll(/[/\\]+/g, '-')
    .slice(0, 200);
}
