import type { Hex } from 'viem';
import { AbiReader } from '../abiReader.ts';
import { nameHash } from '../names.ts';
import type { ActionInit } from '../onChain.ts';
import type { Log } from './blockParts.ts';

export const eventTopics = {
  AgreementDeployed: nameHash('AgreementDeployed(address,address,string,bytes32)'),
  AgreementCreatedWithPermit: nameHash('AgreementCreatedWithPermit(address,address,address)'),
  AgreementInitialized: nameHash('AgreementInitialized(address,string,bytes32,bytes32)'),
  VerifierRegistered: nameHash('VerifierRegistered(bytes32,address)'),
  ActionRegistered: nameHash('ActionRegistered(bytes32,bytes32,address,uint256,bytes)'),
  ActionExecuted: nameHash('ActionExecuted(bytes32,bytes32,bytes32,address)'),
  InputAccepted: nameHash('InputAccepted(bytes32,bytes32,bytes32,bytes)'),
  InputSubmittedWithPermit: nameHash('InputSubmittedWithPermit(address,address,bytes32)'),
} as const;
export type EventName = keyof typeof eventTopics;

export function isEvent(log: Log | undefined, name: EventName, address: Hex): log is Log {
  return log !== undefined && log.address === address && log.topics[0] === eventTopics[name];
}

export function addressTopic(address: Hex): Hex {
  return `0x${'0'.repeat(24)}${address.slice(2)}`;
}

export function topicAddress(topic: Hex | undefined): Hex {
  return `0x${(topic ?? '').slice(-40)}`;
}

/** The data of an `InputAccepted` log. @throws PayloadError for truncated data. */
export function readInputAccepted({ topics, data }: Log): {
  fromState: Hex | undefined;
  toState: Hex | undefined;
  inputId: Hex;
  payload: Hex;
} {
  const reader = new AbiReader(data);
  const payload: Hex = `0x${reader.byteString(reader.number(32))}`;
  return { fromState: topics[1], toState: topics[2], inputId: `0x${reader.word(0)}`, payload };
}

/** A text's bytes as hex digits, and the words after its offset. @throws PayloadError for truncated data. */
export function readTextAndWords(data: Hex, words: number): { text: Hex; words: Hex[] } {
  const reader = new AbiReader(data);
  return {
    text: `0x${reader.byteString(reader.number(0))}`,
    words: Array.from({ length: words }, (_, at): Hex => `0x${reader.word(32 + at * 32)}`),
  };
}

/** The data of an `ActionRegistered` log. @throws PayloadError for truncated data. */
export function readActionRegistered({ topics, data }: Log): ActionInit {
  const reader = new AbiReader(data);
  return {
    fromState: topics[1] ?? '0x',
    inputId: topics[2] ?? '0x',
    target: topicAddress(topics[3]),
    value: BigInt(`0x${reader.word(0)}`),
    data: `0x${reader.byteString(reader.number(32))}`,
  };
}
