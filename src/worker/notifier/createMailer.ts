import { createTransport } from 'nodemailer';
import type { MailSettings } from '../../platform/config/mailSettings.ts';

export type OutgoingMail = {
  /** The same for every attempt, so that a receiver recognises a repeated mail. */
  readonly id: string;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
};

export type Mailer = {
  readonly host: string;
  /**
   * Resolves once the server has accepted the mail.
   *
   * @throws MailRefusedError if it never will; anything else may succeed later.
   */
  send(mail: OutgoingMail): Promise<void>;
};

/** The server permanently refuses this mail or this receiver. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}

const connectTimeoutMs = 10_000;
const answerTimeoutMs = 30_000;

/**
 * Hands mails to the operator's server, one connection per mail. Unless the server's URL says otherwise, or
 * it runs on this machine, TLS with a valid certificate is required.
 */
export function createMailer({ smtpUrl, from }: MailSettings): Mailer {
  const url = new URL(smtpUrl);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const isSaid = url.searchParams.has('requireTLS') || url.searchParams.has('ignoreTLS');
  const transport = createTransport({
    url: smtpUrl,
    ...(!isHere && !isSaid && url.protocol === 'smtp:' && { requireTLS: true }),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    socketTimeout: answerTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    host: url.hostname,
    async send({ id, address, subject, body }) {
      try {
        await transport.sendMail({
          from,
          // As an object it counts as one address, whatever it contains.
          to: { name: '', address },
          subject,
          text: body,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        if (isFinal(error)) throw new MailRefusedError(reasonOf(error), { cause: error });
        throw error;
      }
    },
  };
}

/** Of a server that wants a login first. */
const loginCode = 530;

/**
 * A 5xx about the receiver or the content is permanent. One about the connection, the login or the sender, such as for a
 * limit of mails a day, is for the operator to fix. Without a code, the mail is refused before it reaches the server.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, command, responseCode } = {
    ...{ code: undefined, command: undefined, responseCode: undefined },
    ...error,
  };
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  if (responseCode === undefined) return true;
  const answer = Number(responseCode);
  return command !== 'MAIL FROM' && answer !== loginCode && answer >= 500 && answer < 600;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
