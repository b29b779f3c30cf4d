import type { Logger } from 'pino';
import { mayBeFile } from '../log/secretVariables.ts';

/** The settings whose names begin like no other program's, without a chain's id at the end. */
const known = new Set([
  'ENCRYPTION_KEY',
  'EVIDENCE_BYTES_MAX',
  'EVIDENCE_BYTES_PER_SECOND',
  'EVIDENCE_INPUTS_MAX',
  'EVIDENCE_WAIT_MS',
  'RATE_LIMIT_READS',
  'RATE_LIMIT_READ_BURST',
  'RATE_LIMIT_WRITES',
  'RATE_LIMIT_WRITE_BURST',
  'RELAYER_CANCEL_BUDGET_ETH',
  'RELAYER_GAS_MARGIN_PERCENT',
  'RELAYER_KEYSTORE_FILES',
  'RELAYER_KEYSTORE_PASSWORD_FILE',
  'RELAYER_KMS_ENDPOINT',
  'RELAYER_KMS_KEY_IDS',
  'RELAYER_KMS_REGION',
  'RELAYER_LEASE_MS',
  'RELAYER_MAX_FEE_GWEI',
  'RELAYER_MAX_IN_FLIGHT',
  'RELAYER_MIN_BALANCE_ETH',
  'RELAYER_POLL_MS',
  'RELAYER_PRIVATE_KEYS',
  'RELAYER_REPLACE_SECONDS',
  'RELAYER_RESEND_SECONDS',
  'WEBHOOK_ALLOWED_TARGETS',
  'WEBHOOK_ATTEMPTS',
  'WEBHOOK_BACKOFF_MAX_SECONDS',
  'WEBHOOK_BACKOFF_SECONDS',
  'WEBHOOK_CONCURRENCY',
  'WEBHOOK_HOST_CONCURRENCY',
  'WEBHOOK_MAX_RESPONSE_BYTES',
  'WEBHOOK_PRINCIPAL_CONCURRENCY',
  'WEBHOOK_SUBSCRIPTIONS_MAX',
  'WEBHOOK_SUBSCRIPTION_CONCURRENCY',
  'WEBHOOK_TIMEOUT_MS',
  'WEBHOOK_URL_MAX',
]);

const own = /^(ENCRYPTION_|EVIDENCE_|RATE_LIMIT_|RELAYER_|WEBHOOK_)/;
/** Kubernetes adds these for each of its services, such as one named webhook. */
const ofKubernetes = /(_SERVICE_HOST|_SERVICE_PORT(_\w+)?|_PORT|_PORT_\d+_(TCP|UDP)(_\w+)?)$/;
const ofChain = /^(RELAYER_\w*?)_(\d+)$/;

/**
 * The variables that are set and named like settings, but that no process reads; never their values. One for a single chain is read
 * if that chain is followed.
 */
export function listUnreadSettings(
  env: NodeJS.ProcessEnv,
  chains: readonly { readonly chainId: number }[],
): string[] {
  const followed = new Set(chains.map(({ chainId }) => String(chainId)));
  return Object.keys(env).filter((name) => {
    if (!env[name] || !own.test(name) || ofKubernetes.test(name)) return false;
    const value = name.replace(/_FILE$/, '');
    const plain = mayBeFile(value) ? value : name;
    const [, base = plain, chainId] = ofChain.exec(plain) ?? [];
    return !known.has(base) || (chainId !== undefined && !followed.has(chainId));
  });
}

/** Such a variable is most likely misspelt, and the setting that was meant has its default. */
export function warnOfUnreadSettings(
  env: NodeJS.ProcessEnv,
  { chains, logger }: { chains: readonly { readonly chainId: number }[]; logger: Logger },
): void {
  const variables = listUnreadSettings(env, chains);
  if (variables.length > 0) logger.warn({ variables }, 'nothing reads these variables: check their names');
}
