import { Agent, buildConnector, type Dispatcher } from 'undici';
import {
  addressIn,
  notPublic,
  TargetRefusedError,
  type TargetRules,
} from '../../records/webhooks/targetRules.ts';
import { buildAnswerLimits, limitAnswers, limitReads } from './answerLimits.ts';
import { watchConnections } from './idleConnections.ts';

/**
 * The receiver may close an idle connection at any time; the shorter it is kept, the rarer that hits a
 * request.
 */
const idleMs = 2_000;

export type WebhookAgentOptions = {
  rules: TargetRules;
  /** Time limit for connecting, including TLS. */
  timeoutMs: number;
  /** Bytes of an answer's body that are kept; the limits for the whole answer follow from it. */
  responseBytes: number;
  /** Certificate authorities to trust instead of the public ones. */
  ca?: string | undefined;
};

/**
 * Connects only to addresses that the rules allow. Checks the address of the connection, not an earlier
 * resolution of the name. TLS is verified against the name. Follows no redirect and uses no proxy, whatever
 * the environment says. Aborts answers that would cost much to read.
 */
export function createWebhookAgent({ rules, timeoutMs, responseBytes, ca }: WebhookAgentOptions): Dispatcher {
  const limits = buildAnswerLimits(responseBytes);
  watchConnections();
  const connectTo = (url: { protocol: string; hostname: string; port: string }) =>
    buildConnector({
      timeout: timeoutMs,
      allowH2: false,
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
      // Called for names only; `all` is set if several addresses are to be tried.
      lookup(_hostname, options, callback) {
        rules.resolve(url).then(
          (addresses) => {
            const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
            const [first] = found;
            if (options.all || !first) callback(null, found);
            else callback(null, first.address, first.family);
          },
          (error: NodeJS.ErrnoException) => callback(error, []),
        );
      },
    });
  const connect: buildConnector.connector = (options, callback) => {
    const { protocol, hostname, port } = options;
    const url = { protocol, hostname, port };
    const address = addressIn(hostname);
    if (address && !rules.mayDial(url, address)) {
      callback(new TargetRefusedError(notPublic), null);
      return;
    }
    connectTo(url)(options, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (socket.remoteAddress && rules.mayDial(url, socket.remoteAddress)) {
        limitReads(socket, limits);
        return callback(null, socket);
      }
      socket.destroy();
      callback(new TargetRefusedError(notPublic), null);
    });
  };
  const agent = new Agent({ connect, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs, pipelining: 1 });
  return agent.compose(limitAnswers(limits));
}
