import { ConfigurationError } from '../../platform/config/configurationError.ts';
import { httpUrl } from '../../platform/config/settingShapes.ts';
import { type Chain, chains } from '../../protocol/chains.ts';

/** A public chain that is continued locally. */
export type Fork = { chain: Chain; url: string };

const usage = 'write --fork <chainId>=<rpc url>';

/**
 * The requested forks: `<chainId>=<rpc url>` each; these take precedence over `FORK_URL_<chainId>` of the
 * environment.
 *
 * @throws ConfigurationError with everything that is wrong; an address is never repeated there, since it may hold a secret.
 */
export function readForks(words: readonly string[], env: NodeJS.ProcessEnv): Fork[] {
  const problems: string[] = [];
  const forks = new Map<number, Fork>();
  for (const word of words) {
    const [, id, url] = /^(\d{1,10})=(.+)$/s.exec(word) ?? [];
    if (id === undefined || url === undefined) {
      problems.push(`--fork: ${usage}`);
      continue;
    }
    const chain = chains.find(({ chainId }) => String(chainId) === id);
    if (!chain) problems.push(`--fork ${id}: the protocol is not on that chain (${listChains()})`);
    else if (forks.has(chain.chainId)) problems.push(`--fork ${id}: is there twice`);
    else if (!httpUrl.safeParse(url).success)
      problems.push(`--fork ${id}: what follows = is not an http or https URL`);
    else forks.set(chain.chainId, { chain, url });
  }
  for (const chain of chains) {
    const name = `FORK_URL_${chain.chainId}`;
    const url = env[name];
    if (!url || forks.has(chain.chainId)) continue;
    if (httpUrl.safeParse(url).success) forks.set(chain.chainId, { chain, url });
    else problems.push(`${name}: is not an http or https URL`);
  }
  const environments = new Set([...forks.values()].map(({ chain }) => chain.environment));
  if (environments.size > 1) problems.push('--fork: testnets and production chains do not go together');
  if (problems.length > 0) throw new ConfigurationError(problems);
  return [...forks.values()];
}

function listChains(): string {
  return chains.map(({ chainId, name }) => `${chainId} ${name}`).join(', ');
}
