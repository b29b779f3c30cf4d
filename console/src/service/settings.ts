import { useQuery } from '@tanstack/preact-query';

export type KnownChain = {
  readonly chainId: number;
  readonly name: string;
  readonly factory: string;
  readonly confirmations: number;
};
export type ConsoleFacts = {
  readonly environment: 'testnet' | 'production';
  /** Without a slash at the end. */
  readonly publicBaseUrl: string;
  readonly chains: readonly KnownChain[];
};

/** The installation's settings, as the API reports them to its own pages. */
export function useSettings() {
  return useQuery({
    queryKey: ['settings'],
    queryFn: async ({ signal }): Promise<ConsoleFacts> => {
      const response = await fetch('/console/settings.json', { signal });
      if (!response.ok) throw new Error(`settings: ${response.status}`);
      // The same build serves these pages and their settings.
      return response.json();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

const explorers: Readonly<Record<number, string>> = {
  59141: 'https://sepolia.lineascan.build',
  11155111: 'https://sepolia.etherscan.io',
  84532: 'https://sepolia.basescan.org',
  59144: 'https://lineascan.build',
  8453: 'https://basescan.org',
};

const names: Readonly<Record<number, string>> = {
  59141: 'Linea Sepolia',
  11155111: 'Ethereum Sepolia',
  84532: 'Base Sepolia',
  59144: 'Linea',
  8453: 'Base',
};

export function chainName(chainId: number): string {
  return names[chainId] ?? String(chainId);
}

/** The public explorer's page; undefined for a chain without a known explorer. */
export function explorerUrl(chainId: number, kind: 'tx' | 'address', id: string): string | undefined {
  const explorer = explorers[chainId];
  return explorer && /^0x[0-9a-fA-F]+$/.test(id) ? `${explorer}/${kind}/${id}` : undefined;
}
