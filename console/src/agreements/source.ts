import type { AgreementsClient } from '../../../client/src/index.ts';
import type { EvidenceProgress } from '../../../client/src/resources/evidence.ts';
import type {
  AgreementState,
  InputRecord,
  SharedAgreement,
  SignableTypedData,
} from '../../../client/src/types.ts';
import { deployPatience, inputPatience, service } from '../service/client.ts';

export type Accepted = AgreementState['acceptedInputs'][number];

export type Shown = Pick<
  SharedAgreement,
  | 'id'
  | 'chainId'
  | 'displayName'
  | 'status'
  | 'json'
  | 'variables'
  | 'docUri'
  | 'createdAt'
  | 'updatedAt'
  | 'docHash'
> & {
  readonly address?: string | undefined;
  readonly owner?: string | undefined;
  /** Guests are not told its transaction. */
  readonly deployment?: Mined | undefined;
  /** The time of its block. */
  readonly deployedAt?: string | undefined;
  readonly participants: readonly { readonly variableKey: string; readonly walletAddress: string }[];
  /** The parts of the contract that are not as the document says; undefined if that is not known. */
  readonly differsFromDocument?: SharedAgreement['differsFromDocument'];
  /** Why a Draft will not be deployed. */
  readonly failure?: string | undefined;
  /** The only wallet that acts here, through a link. */
  readonly onlyWallet?: string | undefined;
  readonly mayAct: boolean;
  /** A Draft that is deployed once its owner has signed it. */
  readonly awaitsOwner?: boolean | undefined;
};
/** The transaction that had an effect. */
export type Mined = {
  readonly txHash?: string | null | undefined;
  readonly blockNumber?: number | undefined;
};
export type ShownInput = Omit<InputRecord, 'userId'>;
export type Act = { readonly inputId: string; readonly values: Record<string, unknown> };
export type Verdict = {
  readonly outcome: 'accepted' | 'refused' | 'undecided';
  readonly fromState: string;
  readonly toState: string;
  readonly message?: string | undefined;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  readonly isExternal: boolean;
};
export type Permit = Act & {
  readonly signer: string;
  readonly deadline: number;
  readonly signature: { readonly v: 27 | 28; readonly r: string; readonly s: string };
};

/** One agreement and its possible actions, for a principal's session or for a signing link. */
export type AgreementSource = {
  /** First part of its cache keys. */
  readonly key: readonly [string, string];
  readonly get: (signal: AbortSignal) => Promise<Shown>;
  readonly getState: (signal?: AbortSignal) => Promise<AgreementState>;
  readonly listInputs: (
    cursor: string | undefined,
    signal?: AbortSignal,
  ) => Promise<{ data: readonly ShownInput[]; next: string | null; total: number | undefined }>;
  /** The evidence file, once its blocks are proved. */
  readonly readEvidence: (onProgress: (progress: EvidenceProgress) => void) => Promise<string>;
  /** Undefined if only a wallet can try it. */
  readonly simulate?: ((act: Act & { by: string }, signal: AbortSignal) => Promise<Verdict>) | undefined;
  readonly prepare: (act: Act & { signer: string }, signal?: AbortSignal) => Promise<SignableTypedData>;
  readonly submit: (permit: Permit) => Promise<ShownInput>;
  /** For a Draft that waits for its owner. */
  readonly prepareDraft?:
    | ((signer: string) => Promise<SignableTypedData & { readonly docUri: string }>)
    | undefined;
  readonly deployDraft?: ((permit: Omit<Permit, keyof Act>) => Promise<unknown>) | undefined;
};

const order = { createdAt: 'desc' } as const;
const pageSize = 25;

/** For a principal's session. */
export function ownSource(id: string, mayWrite: boolean): AgreementSource {
  const { agreements } = service;
  return {
    key: ['agreement', id],
    async get(signal) {
      const record = await agreements.get(id, { signal });
      const { docHash, error, deployedAt, differsFromDocument } = record.onChain;
      const deployment = {
        txHash: record.onChain.deployTxHash,
        blockNumber: record.onChain.deployBlockNumber,
      };
      const facts = { docHash, deployment, deployedAt, differsFromDocument };
      return { ...record, ...facts, failure: error?.message, mayAct: mayWrite };
    },
    getState: (signal) => agreements.getState(id, { signal }),
    async listInputs(cursor, signal) {
      const { data, pageInfo } = await agreements.listInputs(
        id,
        { limit: pageSize, sort: order, cursor },
        { signal },
      );
      return { data, next: pageInfo.nextCursor, total: pageInfo.totalCount };
    },
    readEvidence: (onProgress) => agreements.readEvidence(id, { onProgress }),
    async simulate(act, signal) {
      const { steps } = await agreements.simulateInputs(id, { steps: [act] }, { signal });
      const [step] = steps;
      if (!step) throw new Error('no step was played');
      const { outcome, fromState, toState, refusal, external } = step;
      const issues = refusal?.issues ?? [];
      return {
        outcome,
        fromState,
        toState,
        message: refusal?.message,
        issues,
        isExternal: external.length > 0,
      };
    },
    prepare: (act, signal) => agreements.makeInputTypedData(id, act, { signal }),
    submit: (permit) => agreements.submitInput(id, permit, inputPatience),
  };
}

/**
 * For a guest with a signing link, or with a logged-in wallet.
 *
 * @param view names the agreement and who looks at it: others may see something else of it, or nothing.
 */
export function guestSource(shared: AgreementsClient['shared'], view: string): AgreementSource {
  return {
    key: ['shared', view],
    async get(signal) {
      const { access, ...record } = await shared.get({ signal });
      return { ...record, onlyWallet: access.wallet, mayAct: access.may === 'sign' };
    },
    getState: (signal) => shared.getState({ signal }),
    async listInputs(cursor, signal) {
      const { data, pageInfo } = await shared.listInputs({ limit: pageSize, cursor }, { signal });
      return { data, next: pageInfo.nextCursor, total: pageInfo.totalCount };
    },
    readEvidence: (onProgress) => shared.readEvidence({ onProgress }),
    prepare: (act, signal) => shared.makeInputTypedData(act, { signal }),
    submit: (permit) => shared.submitInput(permit, inputPatience),
    prepareDraft: (signer) => shared.makeDeployTypedData({ signer }),
    deployDraft: (permit) => shared.deployWithPermit(permit, deployPatience),
  };
}
