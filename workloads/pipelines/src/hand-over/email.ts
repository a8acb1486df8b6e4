import { JobFailure } from '@millrace/engine';
import type { RowsOf, Step, StepFile } from '@millrace/workload-kit';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { PipelineRunRecord } from '../runs/pipeline-run.ts';
import type { HandOver } from '../step/work.ts';

export interface MailConfig {
  /** Such as smtps://user:password@mail.example.com. */
  readonly smtpUrl: string;
  readonly from: string;
  /** What links begin with; empty: they are paths of the API. */
  readonly publicUrl: string;
}

const address = z.email({ error: 'write an e-mail address.' }).max(320);
const addresses = z
  .union([address, z.array(address).min(1).max(100)])
  .transform((given) => [given].flat());
const oneLine = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[^\r\n]+$/, { error: 'write it in one line.' });
const thing = z.custom<RowsOf>(
  (value) => z.object({ step: z.string(), id: z.string() }).safeParse(value).success,
);

const inputSchema = z.strictObject({
  to: addresses,
  cc: addresses.optional(),
  subject: oneLine,
  text: z.string().min(1).max(100_000),
  attach: z.array(thing).max(10).default([]).describe('Steps whose files go with it.'),
});

/** Of all files together: many mail servers take 10 MB, of which base64 needs a third. */
const MOST_ATTACHED = 5_000_000;
const ANSWER_MS = 60_000;

export interface Mailer {
  readonly step: HandOver;
  close(): void;
}

/**
 * Sends an e-mail. One whose answer was lost is sent again with the same Message-ID, by which mail programs and servers know it
 * for the same.
 */
export function createMailer(
  config: MailConfig,
  steps: (type: string) => Step | undefined,
): Mailer {
  const transport = createTransport({
    url: config.smtpUrl,
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    // What is sent comes from data: nothing in it may name a file of this machine, or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  const step: HandOver = {
    input: inputSchema,
    outputs: ['accepted', 'rejected', 'messageId'],
    async hand({ input, who, key, run, signal }) {
      const { to, cc, subject, text, attach } = inputSchema.parse(input);
      const files = await Promise.all(
        attach.map(async ({ step: type, id }) => {
          const own = steps(type);
          const file = await own?.file?.(id, who, signal);
          if (file === undefined)
            throw new JobFailure('rows_missing', `A ${type} has no file.`, { retryable: false });
          return { file, link: `${config.publicUrl}${own?.link?.(id) ?? ''}` };
        }),
      );
      const { attachments, links } = await attached(files, signal);
      const messageId = messageIdOf(run, key, config.from);
      signal.throwIfAborted();
      try {
        const { accepted, rejected } = await transport.sendMail({
          from: config.from,
          to,
          ...(cc !== undefined && { cc }),
          subject,
          text: [text.trimEnd(), ...links].join('\n\n'),
          attachments,
          messageId,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Correlation-Id': who.correlationId },
        });
        return { accepted: accepted.length, rejected: rejected.length, messageId };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
  return { step, close: () => transport.close() };
}

interface Attached {
  readonly attachments: { filename: string; contentType: string; content: Buffer }[];
  /** A line for each that is too large. */
  readonly links: string[];
}

async function attached(
  files: readonly { readonly file: StepFile; readonly link: string }[],
  signal: AbortSignal,
): Promise<Attached> {
  const attachments: Attached['attachments'] = [];
  const links: string[] = [];
  let left = MOST_ATTACHED;
  for (const { file, link } of files) {
    const content = await readUpTo(file, left, signal);
    if (content === null) {
      links.push(`${file.name} is too large for an e-mail: ${link}`);
      continue;
    }
    left -= content.length;
    attachments.push({ filename: file.name, contentType: file.mediaType, content });
  }
  return { attachments, links };
}

/** Null: it has more. */
async function readUpTo(file: StepFile, most: number, signal: AbortSignal): Promise<Buffer | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of file.read()) {
    signal.throwIfAborted();
    size += part.length;
    if (size > most) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** With the time of the run: another installation has a run of the same number. */
function messageIdOf({ createdAt }: PipelineRunRecord, key: string, from: string): string {
  const [, domain = 'millrace.invalid'] = /@([^\s>]+)/.exec(from) ?? [];
  return `<${key.replaceAll('/', '.')}.${createdAt}@${domain}>`;
}

/** What a mail server refuses for good, it refuses again: an unknown recipient, a password. */
function failureOf(error: unknown): JobFailure {
  const { responseCode, code, message } = error as Partial<{
    responseCode: number;
    code: string;
    message: string;
  }>;
  const isFinal = (responseCode !== undefined && responseCode >= 500) || code === 'EAUTH';
  return new JobFailure(
    isFinal ? 'mail_refused' : 'mail_unavailable',
    `The mail server did not take the e-mail: ${message ?? String(error)}`,
    { retryable: !isFinal, cause: error },
  );
}
