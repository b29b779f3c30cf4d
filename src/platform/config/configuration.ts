import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { type Environment, findChain, supportedChains } from '../../protocol/chains.ts';
import { findChainDefaults } from './chainDefaults.ts';
import { type ClientProfile, clientProfiles, profileDefaults } from './clientProfile.ts';
import { ConfigurationError } from './configurationError.ts';
import { type Limits, limitShape } from './limits.ts';
import { isMailConfigured } from './mailSettings.ts';

/** One followed chain; URLs are tried in the order given. */
export type ChainConfiguration = {
  chainId: number;
  name: string;
  factory: `0x${string}`;
  /** Set only if the operator named one; otherwise the registry's default applies. */
  startBlock: number | undefined;
  /** Blocks before an event is released, counting its own block. */
  confirmations: number;
  rpcUrls: [string, ...string[]];
  /** Calls per second to each endpoint, from each process; undefined for no limit. */
  rpcRequestsPerSecond?: number | undefined;
};

export type Configuration = {
  environment: Environment;
  databaseUrl: string;
  /** A replica for callers' reads; undefined for none. */
  databaseReadUrl: string | undefined;
  host: string;
  port: number;
  publicBaseUrl: string;
  /** Origins whose pages may call the service from a browser; `*` for all. */
  corsOrigins: readonly string[];
  clientProfile: ClientProfile;
  logLevel: LogLevel;
  /** How long a stopping API keeps serving while its readiness already says no. */
  shutdownGraceMs: number;
  /** How inputs are admitted. */
  admission: AdmissionSettings;
  /** Whether mails of notification rules go out. */
  isMailConfigured: boolean;
  limits: Limits;
  chains: [ChainConfiguration, ...ChainConfiguration[]];
};

export type AdmissionSettings = {
  /** By the index and the outbox; otherwise a node simulates each input. */
  readonly isLocal: boolean;
  /** How old the newest block of the index may be for local admission. */
  readonly maxLagSeconds: number;
};

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

const urlOf = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `expected a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });

const httpUrl = urlOf('http:', 'https:');
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a whole number')
  .transform(Number);

const rpcUrls = z
  .string({ error: 'is required: one or more URLs, comma-separated' })
  .transform((text) => listOf(text))
  .pipe(z.tuple([httpUrl], httpUrl));

const address = z
  .string()
  .refine((text) => isAddress(text), 'expected an address: lower case or with a correct checksum')
  .transform((text) => getAddress(text));

const longestGraceMs = 60_000;

/** Read separately, so that a fault elsewhere does not hide faults of the chains. */
const selectionShape = z.object({
  ENVIRONMENT: z.enum(['testnet', 'production']).default('testnet'),
  CHAINS: z.string().optional(),
});

const baseShape = z.object({
  DATABASE_URL: urlOf('postgres:', 'postgresql:'),
  DATABASE_READ_URL: urlOf('postgres:', 'postgresql:').optional(),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber.refine((port) => port <= 65_535, 'expected a port').default(3000),
  PUBLIC_BASE_URL: httpUrl.optional(),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform(listOf)
    .refine((origins) => origins.every(isOrigin), 'expected origins such as https://app.example.com, or *'),
  ADMISSION: z.enum(['local', 'node']).default('local'),
  ADMISSION_MAX_LAG_SECONDS: wholeNumber.default(30),
  CLIENT_PROFILE: z.enum(clientProfiles).default('default'),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  SHUTDOWN_GRACE_MS: wholeNumber
    .refine((ms) => ms <= longestGraceMs, `expected at most ${longestGraceMs}`)
    .default(1_000),
});

/**
 * The whole configuration of a process, read from the environment and checked at once.
 *
 * @throws ConfigurationError naming every variable that is missing or wrong.
 */
export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  const problems: string[] = [];
  const selection = parse(selectionShape, env, problems);
  const base = parse(baseShape, env, problems);
  const limits = parse(
    limitShape,
    withDefaults(env, profileDefaults[base?.CLIENT_PROFILE ?? 'default']),
    problems,
  );
  const chains = selection ? readChains(selection.ENVIRONMENT, selection.CHAINS, env, problems) : [];
  const [first, ...rest] = chains;
  if (!selection || !base || !limits || !first || problems.length > 0) throw new ConfigurationError(problems);
  return {
    environment: selection.ENVIRONMENT,
    databaseUrl: base.DATABASE_URL,
    databaseReadUrl: base.DATABASE_READ_URL,
    host: base.HOST,
    port: base.PORT,
    publicBaseUrl: (base.PUBLIC_BASE_URL ?? `http://127.0.0.1:${base.PORT}`).replace(/\/+$/, ''),
    corsOrigins: base.CORS_ORIGINS,
    clientProfile: base.CLIENT_PROFILE,
    logLevel: base.LOG_LEVEL,
    shutdownGraceMs: base.SHUTDOWN_GRACE_MS,
    admission: { isLocal: base.ADMISSION === 'local', maxLagSeconds: base.ADMISSION_MAX_LAG_SECONDS },
    isMailConfigured: isMailConfigured(env),
    limits,
    chains: [first, ...rest],
  };
}

function readChains(
  environment: Environment,
  selection: string | undefined,
  env: NodeJS.ProcessEnv,
  problems: string[],
): ChainConfiguration[] {
  const offered = supportedChains(environment);
  const wanted = selection === undefined ? offered.map((chain) => String(chain.chainId)) : listOf(selection);
  if (wanted.length === 0) problems.push('CHAINS: expected at least one chain');
  const chains: ChainConfiguration[] = [];
  for (const text of new Set(wanted)) {
    const facts = findChain(Number(text));
    const defaults = findChainDefaults(Number(text));
    if (!facts || !defaults || facts.environment !== environment) {
      const known = offered.map((chain) => chain.chainId).join(', ');
      problems.push(`CHAINS: ${text} is not a chain of the ${environment} environment (${known})`);
      continue;
    }
    const id = facts.chainId;
    const read = <T extends z.ZodType>(name: string, schema: T) =>
      parseVariable(`${name}_${id}`, schema, env, problems);
    const urls = read('RPC_URL', rpcUrls);
    const factory = read('FACTORY_ADDRESS', address.default(getAddress(facts.factory)));
    const confirmations = read(
      'CONFIRMATIONS',
      wholeNumber.refine((count) => count >= 1, 'expected 1 or more').default(defaults.confirmations),
    );
    const startBlock = read('START_BLOCK', wholeNumber.optional());
    const own = `RPC_REQUESTS_PER_SECOND_${id}`;
    const rpcRequestsPerSecond = parseVariable(
      env[own] ? own : 'RPC_REQUESTS_PER_SECOND',
      wholeNumber.refine((count) => count >= 1, 'expected 1 or more').optional(),
      env,
      problems,
    );
    if (!urls || !factory || confirmations === undefined) continue;
    chains.push({
      chainId: id,
      name: facts.name,
      factory,
      startBlock,
      confirmations,
      rpcUrls: urls,
      ...(rpcRequestsPerSecond !== undefined && { rpcRequestsPerSecond }),
    });
  }
  return chains;
}

/** The set variables, and defaults for the others. */
function withDefaults(env: NodeJS.ProcessEnv, defaults: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const set = Object.entries(env).filter(([, value]) => value);
  return { ...defaults, ...Object.fromEntries(set) };
}

/** An empty variable counts as not set: shells and compose files leave such variables behind. */
function parse<T extends z.ZodType>(
  schema: T,
  env: NodeJS.ProcessEnv,
  problems: string[],
): z.output<T> | undefined {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value));
  const result = schema.safeParse(set);
  if (result.success) return result.data;
  for (const issue of result.error.issues) note(String(issue.path[0]), issue, set, problems);
  return undefined;
}

function parseVariable<T extends z.ZodType>(
  name: string,
  schema: T,
  env: NodeJS.ProcessEnv,
  problems: string[],
): z.output<T> | undefined {
  const result = schema.safeParse(env[name] || undefined);
  if (result.success) return result.data;
  for (const issue of result.error.issues) note(name, issue, env, problems);
  return undefined;
}

function note(
  name: string,
  issue: { code: string; message: string },
  env: NodeJS.ProcessEnv,
  problems: string[],
): void {
  const isMissing = issue.code === 'invalid_type' && !env[name];
  problems.push(`${name}: ${isMissing ? 'is required' : issue.message}`);
}

/** An origin with a wildcard inside would match nothing. */
function isOrigin(text: string): boolean {
  return text === '*' || (!text.includes('*') && URL.canParse(text) && new URL(text).origin === text);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
