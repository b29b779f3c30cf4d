import { z } from 'zod';
import { ConfigurationError } from './configurationError.ts';

/** The mail server, and the sender's address. */
export type MailSettings = {
  /** `smtps:` uses TLS from the beginning; `smtp:` upgrades to TLS if the server can. */
  readonly smtpUrl: string;
  readonly from: { readonly name: string; readonly address: string };
};

const sender = /^(?:([^<>\r\n]*)<([^\s@<>",;:]+@[^\s@<>",;:]+)>|([^\s@<>",;:]+@[^\s@<>",;:]+))$/;

const shape = z.object({
  SMTP_URL: z
    .string({ error: 'is required if MAIL_FROM is set' })
    .refine(
      (text) =>
        URL.canParse(text) &&
        ['smtp:', 'smtps:'].includes(new URL(text).protocol) &&
        new URL(text).hostname !== '',
      'expected a URL that starts with smtp:// or smtps://',
    ),
  MAIL_FROM: z
    .string({ error: 'is required if SMTP_URL is set' })
    .transform((text) => sender.exec(text.trim()))
    .refine((match) => match !== null, 'expected an address such as Agreements <no-reply@example.com>')
    .transform((match) => ({
      name: match?.[1]?.trim().replace(/^"(.*)"$/, '$1') ?? '',
      address: match?.[2] ?? match?.[3] ?? '',
    })),
});

/**
 * How the worker sends mails; undefined if neither server nor sender is named, and then no mail is sent. For the worker only: no other
 * process gets the server.
 *
 * @throws ConfigurationError naming what is missing or wrong.
 */
export function readMailSettings(env: NodeJS.ProcessEnv): MailSettings | undefined {
  if (!env.SMTP_URL && !env.MAIL_FROM) return undefined;
  const result = shape.safeParse({
    SMTP_URL: env.SMTP_URL || undefined,
    MAIL_FROM: env.MAIL_FROM || undefined,
  });
  if (result.success) return { smtpUrl: result.data.SMTP_URL, from: result.data.MAIL_FROM };
  throw new ConfigurationError(
    result.error.issues.map(({ path, message }) => `${String(path[0])}: ${message}`),
  );
}

/** Whether mails are sent. A process that sends none itself knows it by the configured sender. */
export function isMailConfigured(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.MAIL_FROM);
}
