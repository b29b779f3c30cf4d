import { z } from 'zod';
import { readSettings, variable } from './readSettings.ts';
import { urlOf } from './settingShapes.ts';

const sender = /^(?:([^<>\r\n]*)<([^\s@<>",;:]+@[^\s@<>",;:]+)>|([^\s@<>",;:]+@[^\s@<>",;:]+))$/;

const shape = z.object({
  /** `smtps:` uses TLS from the beginning; `smtp:` upgrades to TLS if the server can. */
  smtpUrl: variable(
    'SMTP_URL',
    urlOf(['smtp:', 'smtps:'], { missing: 'is required if MAIL_FROM is set', needsHost: true }),
  ),
  from: variable(
    'MAIL_FROM',
    z
      .string({ error: 'is required if SMTP_URL is set' })
      .transform((text) => sender.exec(text.trim()))
      .refine((match) => match !== null, 'expected an address such as Agreements <no-reply@example.com>')
      .transform((match) => ({
        name: match?.[1]?.trim().replace(/^"(.*)"$/, '$1') ?? '',
        address: match?.[2] ?? match?.[3] ?? '',
      })),
  ),
});

/** The mail server, and the sender's address. */
export type MailSettings = Readonly<z.output<typeof shape>>;

/**
 * How the worker sends mails; undefined if neither server nor sender is named, and then no mail is sent. For the worker only: no other
 * process gets the server.
 *
 * @throws ConfigurationError naming what is missing or wrong.
 */
export function readMailSettings(env: NodeJS.ProcessEnv): MailSettings | undefined {
  return env.SMTP_URL || env.MAIL_FROM ? readSettings(shape, env) : undefined;
}

/** Whether mails are sent. A process that sends none itself knows it by the configured sender. */
export function isMailConfigured(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.MAIL_FROM);
}
