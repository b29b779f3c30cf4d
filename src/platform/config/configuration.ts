import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { findChain, supportedChains } from '../../protocol/chains.ts';
import { findChainDefaults } from './chainDefaults.ts';
import { clientProfiles, profileDefaults } from './clientProfile.ts';
import { ConfigurationError, collectProblems } from './configurationError.ts';
import { limitShape } from './limits.ts';
import { isMailConfigured } from './mailSettings.ts';
import { readSettings, variable } from './readSettings.ts';
import {
  hasReadableCredentials,
  httpUrl,
  isOrigin,
  list,
  listOf,
  urlOf,
  wholeNumber,
} from './settingShapes.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Read separately, so that a fault elsewhere does not hide faults of the chains. */
const selectionShape = z.object({
  environment: variable('ENVIRONMENT', z.enum(['testnet', 'production']).default('testnet')),
  chains: variable('CHAINS', list().optional()),
});

const postgresUrl = urlOf(['postgres:', 'postgresql:']);
const manyDigits = { digits: 15 };

const baseShape = z
  .object({
    databaseUrl: variable('DATABASE_URL', postgresUrl),
    /** A replica for callers' reads; undefined for none. */
    databaseReadUrl: variable('DATABASE_READ_URL', postgresUrl.optional()),
    host: variable('HOST', z.string().default('127.0.0.1')),
    port: variable(
      'PORT',
      wholeNumber(manyDigits)
        .refine((number) => number <= 65_535, 'expected a port')
        .default(3000),
    ),
    publicBaseUrl: variable('PUBLIC_BASE_URL', httpUrl.optional()),
    /** Origins whose pages may call the service from a browser; `*` for all. */
    corsOrigins: variable(
      'CORS_ORIGINS',
      list()
        .refine(
          // An origin with a wildcard inside would match nothing.
          (origins) => origins.every((text) => text === '*' || (!text.includes('*') && isOrigin(text))),
          'expected origins such as https://app.example.com, or *',
        )
        .default([]),
    ),
    admission: variable('ADMISSION', z.enum(['local', 'node']).default('local')),
    maxLagSeconds: variable('ADMISSION_MAX_LAG_SECONDS', wholeNumber(manyDigits).default(30)),
    clientProfile: variable('CLIENT_PROFILE', z.enum(clientProfiles).default('default')),
    logLevel: variable('LOG_LEVEL', z.enum(logLevels).default('info')),
    /** How long a stopping API keeps serving while its readiness already says no. */
    shutdownGraceMs: variable(
      'SHUTDOWN_GRACE_MS',
      wholeNumber({ ...manyDigits, most: 60_000 }).default(1_000),
    ),
  })
  .transform(({ admission, maxLagSeconds, ...base }) => ({
    ...base,
    publicBaseUrl: (base.publicBaseUrl ?? `http://127.0.0.1:${base.port}`).replace(/\/+$/, ''),
    /** How inputs are admitted. */
    admission: {
      /** By the index and the outbox; otherwise a node simulates each input. */
      isLocal: admission === 'local',
      /** How old the newest block of the index may be for local admission. */
      maxLagSeconds,
    },
  }));

const positive = wholeNumber({ ...manyDigits, least: 1 });

const nodeUrl = httpUrl.refine(
  hasReadableCredentials,
  'expected a percent-encoded user and password, with %25 for a % itself',
);

const chainShape = z.object({
  /** Tried in the order given. */
  rpcUrls: variable(
    'RPC_URL',
    z
      .string({ error: 'is required' })
      .transform((text) => listOf(text))
      .pipe(z.tuple([nodeUrl], nodeUrl)),
  ),
  factory: variable(
    'FACTORY_ADDRESS',
    z
      .string()
      .refine((text) => isAddress(text), 'expected an address: lower case or with a correct checksum')
      .transform((text) => getAddress(text))
      .optional(),
  ),
  /** Blocks before an event is released, counting its own block. */
  confirmations: variable('CONFIRMATIONS', positive.optional()),
  /** Set only if the operator named one; otherwise the registry's default applies. */
  startBlock: variable('START_BLOCK', wholeNumber(manyDigits).optional()),
  /** Calls per second to each endpoint, from each process; undefined for no limit. */
  rpcRequestsPerSecond: variable('RPC_REQUESTS_PER_SECOND', positive.optional()),
});

/** One followed chain. */
export type ChainConfiguration = z.output<typeof chainShape> & {
  chainId: number;
  name: string;
  factory: `0x${string}`;
  confirmations: number;
};

export type Configuration = ReturnType<typeof readConfiguration>;
export type AdmissionSettings = Readonly<Configuration['admission']>;

/**
 * The whole configuration of a process, read from the environment and checked at once.
 *
 * @throws ConfigurationError naming every variable that is missing or wrong.
 */
export function readConfiguration(env: NodeJS.ProcessEnv) {
  const problems: string[] = [];
  const selection = collectProblems(problems, () => readSettings(selectionShape, env));
  const base = collectProblems(problems, () => readSettings(baseShape, env));
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const limits = collectProblems(problems, () =>
    readSettings(limitShape, { ...profileDefaults[base?.clientProfile ?? 'default'], ...set }),
  );
  const [first, ...rest] = selection ? readChains(env, selection, problems) : [];
  if (!selection || !base || !limits || !first || problems.length > 0) throw new ConfigurationError(problems);
  const chains: [ChainConfiguration, ...ChainConfiguration[]] = [first, ...rest];
  return {
    ...base,
    environment: selection.environment,
    /** Whether mails of notification rules go out. */
    isMailConfigured: isMailConfigured(env),
    limits,
    chains,
  };
}

/** The chains that the environment selects, whatever else is wrong with the configuration. */
export function selectChains(env: NodeJS.ProcessEnv): { chainId: number }[] {
  const selection = collectProblems([], () => readSettings(selectionShape, env));
  if (!selection) return [];
  const offered = new Map(
    supportedChains(selection.environment).map(({ chainId }) => [String(chainId), chainId]),
  );
  return [...new Set(selection.chains ?? offered.keys())].flatMap((text) => {
    const chainId = offered.get(text);
    return chainId === undefined ? [] : [{ chainId }];
  });
}

function readChains(
  env: NodeJS.ProcessEnv,
  { environment, chains }: z.output<typeof selectionShape>,
  problems: string[],
): ChainConfiguration[] {
  const offered = supportedChains(environment).map(({ chainId }) => String(chainId));
  const wanted = chains ?? offered;
  if (wanted.length === 0) problems.push('CHAINS: expected at least one chain');
  return [...new Set(wanted)].flatMap((text) => {
    // Only in this form, so that no chain is followed twice.
    const facts = offered.includes(text) ? findChain(Number(text)) : undefined;
    const defaults = findChainDefaults(Number(text));
    if (!facts || !defaults) {
      problems.push(
        `CHAINS: ${text} is not a chain of the ${environment} environment (${offered.join(', ')})`,
      );
      return [];
    }
    const { chainId, name } = facts;
    const nameOf = (base: string) => {
      const own = `${base}_${chainId}`;
      return base === 'RPC_REQUESTS_PER_SECOND' && !env[own] ? base : own;
    };
    const chain = collectProblems(problems, () => readSettings(chainShape, env, nameOf));
    if (!chain) return [];
    const { factory = getAddress(facts.factory), confirmations = defaults.confirmations } = chain;
    return [{ ...chain, chainId, name, factory, confirmations }];
  });
}
