import { createTransport } from 'nodemailer';
import type { MailSettings } from '../../platform/config/mailSettings.ts';

export type OutgoingMail = {
  /** The same for every attempt: by it a receiver knows that it has the mail already. */
  readonly id: string;
  readonly address: string;
  readonly subject: string;
  readonly body: string;
};

export type Mailer = {
  /** Whose server it is. */
  readonly host: string;
  /**
   * Resolves once the server has taken the mail.
   *
   * @throws MailRefusedError where it never will; anything else may succeed later.
   */
  send(mail: OutgoingMail): Promise<void>;
};

/** The server refuses this mail, or this receiver, for good. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}

const connectTimeoutMs = 10_000;
const answerTimeoutMs = 30_000;

/**
 * Hands mails to the operator's server, one connection for each. Unless the address of the server says otherwise, or it runs on
 * this very machine, nothing is said to it without TLS, and its certificate has to be good.
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
          // As an object it is one address, whatever is in it.
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

/** A 5xx about sender, receiver or content; one about the connection or the login is the operator's to mend. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, responseCode } = { code: undefined, responseCode: undefined, ...error };
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return (
    isAboutMail && (responseCode === undefined || (Number(responseCode) >= 500 && Number(responseCode) < 600))
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
