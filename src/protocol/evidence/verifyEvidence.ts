import type { Hex } from 'viem';
import { findChain } from '../chains.ts';
import { JsonCursor } from '../jsonCursor.ts';
import { describeDeployment, describeInput } from './describeActs.ts';
import { findAnchor, type TrustedAnchors } from './evidenceAnchors.ts';
import { type CheckedTransaction, checkBlocks, checkTransaction } from './evidenceChain.ts';
import { checkDeployment } from './evidenceDeployment.ts';
import { type CompiledDocument, compileDocument } from './evidenceDocument.ts';
import { type EvidenceFile, type EvidenceLayout, lowerHex } from './evidenceFile.ts';
import { requireComplete } from './evidenceInputs.ts';
import { type EvidenceNames, readEvidenceNames } from './evidenceNames.ts';
import { createReplay, type Replay } from './evidenceReplay.ts';
import { checkState } from './evidenceState.ts';
import {
  type EvidenceAct,
  type EvidenceFinding,
  type EvidenceLevel,
  type EvidenceVerdict,
  isSigned,
} from './evidenceVerdict.ts';
import { writeFindings } from './evidenceWords.ts';
import { readEvidence } from './readEvidence.ts';
import { EvidenceRefusal, refuse } from './refusal.ts';
import { showName } from './showName.ts';

export type VerifyOptions = TrustedAnchors & {
  /** A factory and engine that the caller trusts in addition to the protocol's registry. */
  readonly factory?: { readonly factory: Hex; readonly implementation: Hex } | undefined;
  /**
   * The engine's storage slots, if the caller knows them: the file must then name the same. Without them, the
   * file's layout is used, and what the storage shows counts as trusted, not as established.
   */
  readonly layout?: EvidenceLayout | undefined;
  /** Called between parts of the work, so that a page stays responsive. */
  readonly pause?: (() => Promise<void>) | undefined;
};

/**
 * Checks an evidence file without any request. Recomputes every hash, signature and proof, and replays all
 * inputs by the contract's rules.
 *
 * @returns what the file establishes, or why it is refused. No file makes it throw; an error of `pause` ends the
 * check and is thrown.
 *
 * @example
 * const verdict = await verifyEvidence(text);
 * console.log(verdict.ok ? verdict.established : verdict.message);
 */
export async function verifyEvidence(
  file: string | Uint8Array,
  options: VerifyOptions = {},
): Promise<EvidenceVerdict> {
  try {
    return await findEvidence(readEvidence(file), options);
  } catch (error) {
    if (error instanceof EvidenceRefusal)
      return { ok: false, reason: error.reason, path: error.path, message: error.message };
    if (error instanceof Interruption) throw error.cause;
    return { ok: false, reason: 'bad_format', path: '', message: describeFailure(error) };
  }
}

/** An error that `pause` threw: it concerns the caller, not the file. */
class Interruption extends Error {
  override readonly name = 'Interruption';
}

/** A failure that no check expects: the stack or the memory is used up. */
function describeFailure(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  // The words of V8 and JavaScriptCore, then those of SpiderMonkey.
  if (/call stack|recursion/i.test(said)) return 'The file is nested too deeply.';
  return `This machine cannot check the file: ${showName(said)}`;
}

async function findEvidence(file: EvidenceFile, options: VerifyOptions): Promise<EvidenceFinding> {
  const pause = async () => {
    try {
      await options.pause?.();
    } catch (cause) {
      throw new Interruption('The caller ended the check.', { cause });
    }
  };
  requireFactory(file, options);
  const compiled = compileDocument(file);
  const headers = checkBlocks(file);
  const transactions: CheckedTransaction[] = [];
  for (const at of file.transactions.keys()) {
    transactions.push(await checkTransaction(file, at, headers));
    await pause();
  }
  requireComplete(file, transactions);
  const [first] = transactions;
  if (!first) refuse('incomplete', 'transactions', 'The file has no deployment.');
  const deployment = await checkDeployment(file, first, compiled.parameters);
  const replay = createReplay(compiled.parameters, file.agreement.owner);
  const names = readEvidenceNames(compiled.agreement);
  const acts: EvidenceAct[] = [describeDeployment(file, first, { names, replay, by: deployment.by })];
  for (const at of file.inputs.keys()) {
    acts.push(await describeInput(file, at, { names, replay, transactions }));
    await pause();
  }
  if (replay.engine.state !== file.agreement.currentState)
    refuse('final_state_mismatch', 'agreement.currentState', 'The inputs lead to another state.');
  const { layout } = options;
  if (file.state) checkState(file, file.state, { headers, replay, layout });
  requireNotes(file, { transactions, acts });
  const confirmedBy = await findAnchor(file, headers, options);
  const isIncluded = transactions.every((transaction) => transaction.isIncluded);
  const facts = {
    level: decideLevel({ isIncluded, acts, isAnchored: confirmedBy !== null }),
    ...describeFile(file, { compiled, names }),
    acts,
    storage: isIncluded ? describeStorage(file, { replay, isLayoutKnown: layout !== undefined }) : null,
    // A block that contradicts a trusted hash was refused before.
    blocks: file.blocks.map(({ number, hash, header }) => ({
      ...{ number, hash },
      isAnchored:
        header !== null && (confirmedBy === 'sequencer' || options.trustedHashes?.has(number) === true),
    })),
  };
  const { hasProvedContent } = deployment;
  return { ok: true, ...facts, ...writeFindings({ ...facts, isIncluded, hasProvedContent, confirmedBy }) };
}

/** @throws EvidenceRefusal `unknown_factory` if nobody vouches for the contracts. */
function requireFactory({ chain }: EvidenceFile, options: VerifyOptions): void {
  const known = findChain(chain.chainId);
  const accepted = [...(known ? [known] : []), ...(options.factory ? [options.factory] : [])];
  const isKnown = accepted.some(
    ({ factory, implementation }) =>
      lowerHex(factory) === chain.factory && lowerHex(implementation) === chain.implementation,
  );
  if (!isKnown)
    refuse(
      'unknown_factory',
      'chain',
      'The protocol’s registry does not list this factory and engine for this chain.',
    );
}

/** The notes must list exactly the missing parts. */
function requireNotes(
  file: EvidenceFile,
  { transactions, acts }: { transactions: readonly CheckedTransaction[]; acts: readonly EvidenceAct[] },
): void {
  const notes = [
    ...(file.state ? [] : ['no_state_proof']),
    ...(transactions.every(({ isIncluded }) => isIncluded) ? [] : ['no_inclusion_proof']),
    ...(acts.some(({ by }) => by === 'nothing') ? ['signature_not_readable'] : []),
  ];
  if (JSON.stringify(notes) !== JSON.stringify(file.notes))
    refuse('bad_format', 'notes', 'The notes must list exactly the parts that are missing.');
}

/** Without a signature only confirmed blocks show who acted: anybody can make up blocks. */
function decideLevel({
  isIncluded,
  acts,
  isAnchored,
}: {
  isIncluded: boolean;
  acts: readonly EvidenceAct[];
  isAnchored: boolean;
}): EvidenceLevel {
  if (isIncluded && isAnchored) return 'anchored';
  if (!isSigned(acts)) return 'none';
  return isIncluded ? 'included' : 'signed';
}

function describeStorage(
  { state, blocks }: EvidenceFile,
  { replay, isLayoutKnown }: { replay: Replay; isLayoutKnown: boolean },
): EvidenceFinding['storage'] {
  const block = state && blocks[state.block];
  if (!block) return null;
  const { number: blockNumber, hash: blockHash, timestamp: time } = block;
  const accounts = { checked: replay.listSigners().length, others: replay.countOthers() };
  return { blockNumber, blockHash, time, layout: state.layout, isLayoutKnown, accounts };
}

function describeFile(
  file: EvidenceFile,
  { compiled, names }: { compiled: CompiledDocument; names: EvidenceNames },
) {
  const { chain, agreement, document, made } = file;
  const { address, owner, docUri, docHash, currentState } = agreement;
  const name = new JsonCursor(compiled.agreement).at('metadata').at('name').value;
  return {
    name: typeof name === 'string' && name !== '' ? showName(name) : 'Agreement',
    chain: { chainId: chain.chainId, name: findChain(chain.chainId)?.name ?? `Chain ${chain.chainId}` },
    agreement: { address, owner, docUri, docHash, state: names.state(currentState) },
    document: document.text,
    made: { at: made.at, by: showName(made.by), software: showName(made.software) },
  };
}
