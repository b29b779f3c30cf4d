import { SMTPServer } from 'smtp-server';

export type ReceivedMail = { from: string; to: string[]; headers: Map<string, string>; text: string };

/**
 * A refusal of the next mail, after the sender, the receiver or the content. Mails without a refusal are accepted.
 */
export type Refusal = { after: 'sender' | 'receiver' | 'content'; code: number };

/**
 * A mail server on a free port that keeps the accepted mails. It runs `onTaken` before it confirms a mail.
 */
export async function startMailServer({ onTaken }: { onTaken?: () => Promise<unknown> } = {}) {
  const received: ReceivedMail[] = [];
  const refusals: Refusal[] = [];
  let attempts = 0;
  const refuse = (after: Refusal['after']) => {
    const [next] = refusals;
    if (next?.after !== after) return undefined;
    refusals.shift();
    return Object.assign(new Error('not now'), { responseCode: next.code });
  };
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom(_address, _session, done) {
      done(refuse('sender'));
    },
    onRcptTo(_address, _session, done) {
      attempts += 1;
      done(refuse('receiver'));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const refusal = refuse('content');
        if (refusal) return done(refusal);
        const { mailFrom, rcptTo } = session.envelope;
        const mail = readMail(Buffer.concat(chunks).toString('utf8'));
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({ from, to: rcptTo.map(({ address }) => address), ...mail });
        if (onTaken) onTaken().then(() => done(), done);
        else done();
      });
    },
  });
  server.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    smtpUrl: `smtp://127.0.0.1:${address.port}`,
    received,
    refusals,
    attempts: () => attempts,
    close: () => new Promise<void>((done) => server.close(done)),
  };
}
export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

function readMail(raw: string): { headers: Map<string, string>; text: string } {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = lines.map(
    (line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*: ?/, '')] as const,
  );
  return { headers: new Map(headers), text: body.join('\n\n').replaceAll('\r\n', '\n').trim() };
}
