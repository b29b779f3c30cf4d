import type { CheckedTransaction } from './evidenceChain.ts';
import { type EvidenceFile, lowerHex } from './evidenceFile.ts';
import { checkInput } from './evidenceInputs.ts';
import type { EvidenceNames } from './evidenceNames.ts';
import type { Replay } from './evidenceReplay.ts';
import type { EvidenceAct } from './evidenceVerdict.ts';
import { refuse } from './refusal.ts';
import { showName } from './showName.ts';

type Place = { readonly names: EvidenceNames; readonly replay: Replay };

/** The deployment, for people to read. */
export function describeDeployment(
  file: EvidenceFile,
  { block, hash }: CheckedTransaction,
  { names, replay, by }: Place & Pick<EvidenceAct, 'by'>,
): EvidenceAct {
  const { owner } = file.agreement;
  return {
    position: 0,
    actor: owner,
    roles: names.roles(owner, replay.engine.variables),
    by,
    input: null,
    values: file.document.values.map(({ name, value }) => ({ name: showName(name), value })),
    ignored: 0,
    fromState: null,
    toState: names.state(replay.engine.state),
    time: block.timestamp,
    blockNumber: block.number,
    transactionHash: hash,
    called: null,
  };
}

/** Checks an input and replays it, for people to read. @throws EvidenceRefusal if it does not hold. */
export async function describeInput(
  file: EvidenceFile,
  at: number,
  { names, replay, transactions }: Place & { transactions: readonly CheckedTransaction[] },
): Promise<EvidenceAct> {
  const input = file.inputs[at];
  const transaction = input && transactions[input.transaction];
  if (!input || !transaction)
    refuse('bad_format', `inputs[${at}]`, 'The input names a transaction that the file does not have.');
  const { by, actor, outcome } = await checkInput(file, at, { transaction, replay });
  return {
    position: at + 1,
    actor: actor ?? null,
    roles: actor ? names.roles(actor, replay.engine.variables) : [],
    by,
    input: names.input(input.inputId),
    ...names.values(input.inputId, input.payload),
    fromState: names.state(outcome.fromState),
    toState: names.state(outcome.toState),
    time: transaction.block.timestamp,
    blockNumber: transaction.block.number,
    transactionHash: transaction.hash,
    called: outcome.action ? lowerHex(outcome.action.target) : null,
  };
}
