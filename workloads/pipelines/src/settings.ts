import { flag, setting, settingsOf, text, time, unset } from '@millrace/workload-kit';
import { z } from 'zod';
import type { MailConfig } from './hand-over/email.ts';

export interface PipelinesConfig {
  readonly folder: string;
  readonly timeZone: string;
  /** Of runs that are over. */
  readonly keepRunsMs: number;
  /** Null: no step can send e-mails. */
  readonly mail: MailConfig | null;
}

const smtpUrl = z
  .string()
  .refine((value) => URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol), {
    error: 'Write a URL such as smtps://USER:PASSWORD@mail.example.com.',
  });

const publicUrl = z
  .string()
  .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
    error: 'Write the address that people open, such as https://millrace.example.com.',
  })
  .transform((value) => value.replace(/\/+$/, ''));

const sender = z.string().regex(/^[^\r\n]*@[^\r\n]+$/, {
  error: 'Write an address, such as Millrace <no-reply@example.com>.',
});

const timeZone = z.string().refine(
  (name) => {
    try {
      return Intl.DateTimeFormat('en-US', { timeZone: name }).format(0) !== '';
    } catch {
      return false;
    }
  },
  { error: 'Write an IANA name, such as Europe/Berlin or UTC.' },
);

export const settings = settingsOf({
  switch: 'MILLRACE_PIPELINES',
  variables: {
    MILLRACE_PIPELINES: setting(
      flag,
      'true',
      'Whether this process has pipelines: their kinds, schedules and routes.',
    ),
    MILLRACE_PIPELINES_FOLDER: setting(
      text,
      'pipelines',
      'The folder with the files of pipelines, which are read again when they change.',
    ),
    PIPELINES_TIME_ZONE: setting(
      timeZone,
      'UTC',
      'What "last month" is in pipelines that name no time zone of their own, and the time of their schedules.',
    ),
    MILLRACE_KEEP_PIPELINES: setting(
      time('1h'),
      '90d',
      'How long runs of pipelines are kept after their end.',
    ),
    MILLRACE_PUBLIC_URL: unset(
      publicUrl,
      'The address under which people reach this service, for links in e-mails.',
    ),
    SMTP_URL: unset(
      smtpUrl,
      'The mail server of e-mail steps: smtps://USER:PASSWORD@mail.example.com. Unset, pipelines send no e-mails.',
    ),
    MAIL_FROM: unset(
      sender,
      'The sender of e-mail steps, such as Millrace <no-reply@example.com>.',
    ),
  },
  contradictions: ({ SMTP_URL: url, MAIL_FROM: from }) =>
    (url === undefined) === (from === undefined)
      ? []
      : [`${url === undefined ? 'SMTP_URL' : 'MAIL_FROM'}: is missing, for e-mails of pipelines.`],
  secrets({ SMTP_URL: url }) {
    const password = url === undefined ? '' : decodeURIComponent(new URL(url).password);
    return password === '' ? [] : [password];
  },
  read(values): PipelinesConfig | null {
    if (!values.MILLRACE_PIPELINES) return null;
    const { SMTP_URL: url, MAIL_FROM: from, MILLRACE_PUBLIC_URL: base = '' } = values;
    return {
      folder: values.MILLRACE_PIPELINES_FOLDER,
      timeZone: values.PIPELINES_TIME_ZONE,
      keepRunsMs: values.MILLRACE_KEEP_PIPELINES,
      mail:
        url === undefined || from === undefined ? null : { smtpUrl: url, from, publicUrl: base },
    };
  },
});
