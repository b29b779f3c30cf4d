import type { Hex } from 'viem';
import type { EvidenceLayout } from './evidenceFile.ts';
import { type EvidenceFinding, isSigned } from './evidenceVerdict.ts';

type Facts = Omit<EvidenceFinding, 'established' | 'trusted' | 'notShown' | 'ok'> & {
  /** Whether the deploying call shows the initial values and the rules. */
  readonly hasProvedContent: boolean;
  /** Whether proofs lead from the listed block hashes to all transactions. */
  readonly isIncluded: boolean;
  readonly confirmedBy: 'hashes' | 'sequencer' | null;
};

/**
 * What is proved, what is trusted, and what cannot be proved, in sentences for people who are not engineers. No
 * sentence holds a text of the document or of the file's maker: it would speak with the verifier's voice.
 */
export function writeFindings(facts: Facts): Pick<EvidenceFinding, 'established' | 'trusted' | 'notShown'> {
  return { established: listEstablished(facts), trusted: listTrusted(facts), notShown: listNotShown(facts) };
}

function listEstablished(facts: Facts): string[] {
  const { level, agreement, acts, chain, blocks, storage, confirmedBy, isIncluded } = facts;
  const unsigned = acts.filter(({ by }) => by === 'nothing').length;
  const inputs = acts.length - 1;
  const said = [
    `The text of the agreement has the hash ${agreement.docHash}, which the deployment names.`,
    inputs === 0
      ? 'The rules in that text allow the deployment, which ends in the state shown with this result. The file holds no step after it.'
      : `The rules in that text allow the deployment and the ${countOf(inputs, 'step')} after it, in this order. The steps end in the state shown with this result.`,
  ];
  if (unsigned === 0)
    said.push('The deployment and every step carry a signature of the account that is named with it.');
  else
    said.push(
      `Of the deployment and the steps, ${acts.length - unsigned} of ${acts.length} carry a readable signature of the account that is named with them.`,
    );
  if (isIncluded)
    said.push(
      `The deployment and every step are in the blocks with the listed hashes (${countOf(blocks.length, 'block')}), and succeeded there.`,
    );
  if (level === 'anchored')
    said.push(
      confirmedBy === 'sequencer'
        ? `The listed blocks are signed by the sequencer of ${chain.name} that you named.`
        : `The hashes of all listed blocks were confirmed for ${chain.name} by the sources that you named.`,
    );
  if (storage && listConditions(facts).length === 0) said.push(`${describeStorage(storage)}.`);
  return said;
}

/** The conditions under which the storage proves anything: a made-up block can show any storage. */
function listConditions({ level, chain, storage }: Facts): string[] {
  if (!storage) return [];
  const { blockNumber, isLayoutKnown, layout } = storage;
  return [
    ...(level === 'anchored' ? [] : [`block ${blockNumber} is one of ${chain.name}`]),
    ...(isLayoutKnown ? [] : [`the engine uses the places that the file names (slots ${listSlots(layout)})`]),
  ];
}

/** What the storage shows under these conditions, as a sentence without its end. */
function describeStorage({ blockNumber, time, accounts }: NonNullable<Facts['storage']>): string {
  const { checked, others } = accounts;
  const permits =
    others === 0
      ? 'From each account that the steps and the rules name, the contract had accepted the permits shown here and no others: no permit of these accounts was left out'
      : `From ${checked} of the ${checked + others} accounts that the steps and the rules name, the contract had accepted the permits shown here and no others; permits of the other accounts may have been left out`;
  return `At block ${blockNumber} (${writeTime(time)}) the contract held exactly this text’s hash and this last state. ${permits}`;
}

/** The slots of a layout, ordinary ones by number. */
function listSlots({ docHash, initialState, currentState, nonces }: EvidenceLayout): string {
  const write = (slot: Hex) => (BigInt(slot) < 2n ** 32n ? String(BigInt(slot)) : slot);
  return `${write(docHash)} for the text’s hash, ${write(initialState)} and ${write(currentState)} for the first and the last state, ${write(nonces)} for the permits`;
}

function listTrusted(facts: Facts): string[] {
  const { level, acts, chain, confirmedBy, hasProvedContent, storage, isIncluded } = facts;
  const said = ['That nobody can forge the signatures and hashes in use (secp256k1, Keccak-256).'];
  if (level === 'anchored')
    said.push(
      confirmedBy === 'sequencer'
        ? `That the sequencer of ${chain.name} signs only one history.`
        : 'That your sources of block hashes report the chain that everybody sees.',
    );
  else if (isIncluded)
    said.push(
      `That the listed block hashes are those of ${chain.name}. Compare them with a source that you trust, or have “agreements verify --rpc” ask several.`,
    );
  else
    said.push(
      `That ${chain.name} executed the deployment and these steps, in this order and at these times: the file does not prove it. Nor does it prove that the deployment created the agreement at this address. A signature of a step names the address, not the text: somebody could have put genuine signatures for one agreement under the text of another.`,
    );
  if (isIncluded && level !== 'anchored' && !isSigned(acts))
    said.push(
      'That the steps without a readable signature are genuine: somebody could have made up these blocks. Until the hashes are confirmed, nothing shows who took those steps.',
    );
  said.push(
    `The protocol’s registry: that the factory and the engine of this agreement on ${chain.name} follow the published rules.`,
  );
  if (!hasProvedContent)
    said.push(
      acts[0]?.by === 'permit'
        ? 'That the agreement started with the values and the rules in the file. Another contract made the call, or its data cannot be read, so nothing shows which of the owner’s permits created this agreement. The owner may have signed other permits over the same text, with other values.'
        : 'That the agreement started with the values and the rules that the file states: another contract made the call, or its data cannot be read.',
    );
  const conditions = listConditions(facts);
  if (storage && conditions.length > 0)
    said.push(
      `What the contract’s storage shows. A made-up block or a wrong place can hide permits that were left out. If ${conditions.join(' and ')}, this is proved: ${describeStorage(storage)}.`,
    );
  return said;
}

function listNotShown({ acts, storage, level }: Facts): string[] {
  const last = acts.at(-1);
  const said = ['Who the people behind the accounts are: an account is known by its address alone.'];
  if (storage)
    said.push(
      `Omitted steps cannot be excluded if they were sent without a permit and led back to the same state. Omitted permits of accounts that such steps appointed cannot be excluded either. The same holds for a permit that led back to the same state, if the rules let anybody take the step and it was signed by an account that neither the steps nor the rules name. Anything after block ${storage.blockNumber} is not covered.`,
    );
  else
    said.push(
      `Whether anything happened after the last step (${writeTime(last?.time ?? 0)}), and whether steps were left out that led back to the same state: the file has no proof of the contract’s storage in blocks that include all steps.`,
    );
  said.push(
    level === 'anchored'
      ? 'Whether the blocks are final on another chain, if this one relies on it.'
      : 'Whether the blocks are final.',
  );
  if (acts.some(({ by }) => by === 'nothing'))
    said.push(
      'Who signed the steps without a readable signature: they reached the agreement through another contract, by a call that cannot be read, or from another chain. Only the block names the account of such a step.',
    );
  said.push(
    'The file is not a qualified electronic signature under eIDAS. A court decides what it is worth.',
  );
  return said;
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A block's time to the second, in UTC. */
export function writeTime(seconds: number): string {
  const instant = new Date(seconds * 1_000);
  if (Number.isNaN(instant.getTime())) return 'an unknown time';
  return `${instant.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
