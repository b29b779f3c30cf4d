import type { WireValues } from '../../protocol/index.ts';
import type { Content } from './content.ts';

export type HostedDocument = Content & {
  readonly documentId: string;
  readonly docUri: string;
  readonly agreementId: string;
  readonly agreementAddress: string | undefined;
  readonly chainId: number;
  readonly displayName: string;
  readonly docHash: string;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly values: WireValues;
};
