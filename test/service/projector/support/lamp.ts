import { concatHex, type Hex, keccak256 } from 'viem';
import { hashDocument, serializeAgreement } from '../../../../src/protocol/document.ts';

export type LampInput = { name: 'toggle' | 'annotate' | 'hand_over'; values: Record<string, string> };

/** An agreement about a lamp: its holder, whether it is lit, and its brightness. */
export type Lamp = {
  agreement: Record<string, unknown>;
  text: string;
  docHash: Hex;
  /** The hash that a deployment permit signs, as in the index. */
  signedHash: Hex;
  docUri: string;
  initialState: string;
};

const keeper = '0x00000000000000000000000000000000000000A1';
export const lampVariables = { holder: keeper, brightness: '1', remark: '' };

/** The next state for each input; an input that is missing for a state does not change it. */
export const lampTransitions: Record<string, Partial<Record<LampInput['name'], string>>> = {
  dark: { toggle: 'lit' },
  lit: { toggle: 'dark' },
};

const variable = (name: string) => `\${variables.${name}}`;

/**
 * Lamps of different names have different documents.
 *
 * @param reasons further fields of `toggle`, which are no variables.
 */
export function createLamp(name: string, reasons: Readonly<Record<string, object>> = {}): Lamp {
  const agreement = {
    metadata: { templateId: 'did:template:lamp', name },
    variables: {
      holder: { type: 'address', subtype: 'participant' },
      brightness: { type: 'uint256' },
      remark: { type: 'string' },
    },
    content: { type: 'md', data: `The lamp of ${variable('holder')}.` },
    execution: {
      initialize: { initialState: 'dark', data: { holder: variable('holder') } },
      states: { dark: { description: 'no light' }, lit: { description: 'light' } },
      inputs: {
        toggle: { data: { brightness: variable('brightness'), ...reasons } },
        annotate: { data: { remark: variable('remark') } },
        hand_over: { data: { holder: variable('holder') } },
      },
      transitions: ['dark', 'lit'].flatMap((from) =>
        (['toggle', 'annotate', 'hand_over'] as const).map((input) => ({
          from,
          to: lampTransitions[from]?.[input] ?? from,
          conditions: [{ input }],
        })),
      ),
    },
  };
  const text = serializeAgreement(agreement);
  return {
    agreement,
    text,
    docHash: hashDocument(text),
    signedHash: keccak256(concatHex([hashDocument(text), hashDocument(text)])),
    docUri: 'ipfs://agreement/lamp',
    initialState: 'dark',
  };
}
