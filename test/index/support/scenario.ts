import { type Address, type Hex, keccak256, toHex } from 'viem';
import { encodeDataFields } from '../../../src/protocol/index.ts';
import {
  buildContent,
  creation,
  deploy,
  deployedAgreements,
  permittedCreation,
  permittedSubmission,
  rawTextField,
  submission,
  textField,
  uintField,
} from './agreements.ts';
import type { Call, TestChain } from './testChain.ts';

/** Characters with a meaning in a database, in its bulk format or in JSON. */
export const hostileText = 'a\u0000b\\N\\.\t"\n\r{}\u2028\ud83d\ude00';
export const invalidUtf8: Hex = '0x66ff6f';
/** A docUri with a NUL and a byte that is not UTF-8. */
export const hostileDocUri: Hex = '0x75726900ff';

const salt = (name: string) => keccak256(toHex(name));
/** The salts of the agreements at chosen addresses, by round. */
export const salts = {
  past: { direct: salt('direct'), forwarded: salt('forwarded') },
  live: { direct: salt('direct again'), forwarded: salt('forwarded again') },
};

export type Scenario = Readonly<Record<'direct' | 'permitted' | 'forwarded' | 'one' | 'two', Address>>;

/** Deploys in every possible way, including several agreements in one transaction and in one block. */
export async function deployInEveryWay(chain: TestChain, round: bigint): Promise<Scenario> {
  const { direct: directSalt, forwarded: forwardedSalt } = round === 0n ? salts.past : salts.live;
  const direct = await deploy(chain);
  await deploy(chain, creation(chain, buildContent({ verifiers: [], actions: [] }), directSalt));
  const permitted = await deploy(chain, await permittedCreation(chain, { nonce: round * 2n }));
  const withSalt = await permittedCreation(chain, { nonce: round * 2n + 1n, salt: forwardedSalt });
  const forwarded = await deploy(chain, chain.throughContract(withSalt));
  const batch = chain.inOneTransaction([creation(chain), creation(chain, buildContent({ initVars: [] }))]);
  const receipts = await chain.sendInOneBlock([batch, creation(chain)]);
  const [one, two] = receipts.flatMap(deployedAgreements);
  if (!one || !two) throw new Error('the batch deployed less than two agreements');
  return { direct, permitted, forwarded, one, two };
}

/** Submits in every possible way, for the first time (round 0) or again. */
export async function submitInEveryWay(chain: TestChain, on: Scenario, round: bigint): Promise<void> {
  const permitted = (agreement: Address, name: string, nonce: bigint) =>
    permittedSubmission(chain, { agreement, name, nonce });
  await chain.send(submission(on.direct, 'toggle', encodeDataFields([uintField('amount', 7n)])));
  await chain.send(chain.throughContract(submission(on.direct, 'note')));
  await chain.send(await permitted(on.direct, 'note', round * 2n));
  await chain.send(chain.throughContract(await permitted(on.direct, 'toggle', round * 2n + 1n)));
  const batch = [
    submission(on.one, 'note'),
    await permitted(on.one, 'toggle', round),
    submission(on.two, 'toggle'),
    submission(on.one, 'note'),
  ];
  const calls = [chain.inOneTransaction(batch), submission(on.one, 'toggle'), submission(on.two, 'note')];
  await chain.sendInOneBlock(calls);
}

/** Sends texts that no honest caller would, in fields where anyone may write anything. */
export async function submitHostileText(chain: TestChain, agreement: Address): Promise<void> {
  const fields = [
    textField('text', hostileText),
    rawTextField('bytes', invalidUtf8),
    uintField('number', 2n ** 256n - 1n),
  ];
  await chain.send(submission(agreement, 'note', encodeDataFields(fields)));
  // A field's data may be an invalid encoding of its type if the document does not declare the field.
  await chain.send(
    submission(agreement, 'note', encodeDataFields([{ ...uintField('number', 1n), data: '0x01' }])),
  );
}

/** Creates an agreement with the hostile docUri, which no ABI encoder would produce from a text. */
export function hostileCreation(chain: TestChain): Call {
  const placeholder = 'docUr';
  const { to, data } = creation(chain, buildContent({ docUri: placeholder }));
  return { to, data: `0x${data.slice(2).replace(toHex(placeholder).slice(2), hostileDocUri.slice(2))}` };
}
