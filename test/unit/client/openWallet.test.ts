import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import type { ComputedTypedData } from '../../../client/src/viem/checkTypedData.ts';
import { openWallet } from '../../../client/src/viem/openWallet.ts';
import { WalletFaultError } from '../../../client/src/viem/walletFaultError.ts';

const chainId = 59141;
const account = privateKeyToAccount(generatePrivateKey());
const typedData: ComputedTypedData = {
  domain: { name: 'Test', chainId },
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  message: { text: 'x' },
};

type Asked = { readonly method: string; readonly params?: unknown };
type Answers = Readonly<Record<string, (params: unknown, honest: () => unknown) => unknown>>;

/** A browser wallet with false answers to some methods. */
function openHostile(answers: Answers) {
  const asked: string[] = [];
  let current = 1;
  const honest = ({ method, params }: Asked): unknown => {
    if (method === 'eth_chainId') return `0x${current.toString(16)}`;
    if (method === 'wallet_switchEthereumChain') {
      current = chainId;
      return null;
    }
    return account.signTypedData(JSON.parse(Object(params)[1]));
  };
  const provider = {
    async request(call: Asked): Promise<unknown> {
      asked.push(call.method);
      const answer = answers[call.method];
      return answer ? answer(call.params, () => honest(call)) : honest(call);
    },
  };
  const wallet = openWallet({ provider, account: account.address });
  return { asked, sign: async () => (await wallet).sign(typedData, chainId) };
}

describe('a wallet of a browser', () => {
  test('is asked where it is before it signs, and again once it has switched', async () => {
    const { asked, sign } = openHostile({});
    expect(await sign()).toMatchObject({ r: expect.stringMatching(/^0x/) });
    await sign();
    const first = ['eth_chainId', 'wallet_switchEthereumChain', 'eth_chainId', 'eth_signTypedData_v4'];
    expect(asked).toEqual([...first, 'eth_chainId', 'eth_signTypedData_v4']);
  });

  test('that stays on another chain is not asked to sign', async () => {
    const { asked, sign } = openHostile({ eth_chainId: () => '0x1' });
    await expect(sign()).rejects.toMatchObject({ name: 'WalletFaultError', fault: 'other_chain' });
    expect(asked).not.toContain('eth_signTypedData_v4');
  });

  test('that signs with another account, or something else, is not believed', async () => {
    const other = privateKeyToAccount(generatePrivateKey());
    const signings = [
      (params: unknown) => other.signTypedData(JSON.parse(Object(params)[1])),
      () => account.signTypedData({ ...typedData, message: { text: 'y' } }),
    ];
    for (const eth_signTypedData_v4 of signings)
      await expect(openHostile({ eth_signTypedData_v4 }).sign()).rejects.toMatchObject({
        fault: 'other_signer',
      });
  });

  test.each([['0x'], ['signed'], [null], [{}], [`0x${'00'.repeat(65)}`], [`0x${'ff'.repeat(65)}`]])(
    'that answers with %j has not signed',
    async (answer) => {
      const signing = openHostile({ eth_signTypedData_v4: () => answer }).sign();
      await expect(signing).rejects.toBeInstanceOf(WalletFaultError);
      await expect(signing).rejects.toMatchObject({ fault: 'no_signature' });
    },
  );
});
