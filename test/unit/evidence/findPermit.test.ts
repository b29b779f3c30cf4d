import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { concat, encodeFunctionData, type Hex, pad, parseSignature, toHex, zeroHash } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { findPermit } from '../../../src/api/evidence/findPermit.ts';
import { findPermitPlaces } from '../../../src/api/evidence/findPermitPlaces.ts';
import { lowerHex } from '../../../src/protocol/evidence/evidenceFile.ts';
import { buildInputMessage } from '../../../src/protocol/evidence/evidenceTypedData.ts';
import { encodeDataFields, inputTypedData, nameHash } from '../../../src/protocol/index.ts';

const account = privateKeyToAccount(pad('0x01'));
const signer = lowerHex(account.address);
const agreement: Hex = `0x${'12'.repeat(20)}`;
const input = { chainId: 1, agreement, inputId: nameHash('pay'), payload: encodeDataFields([]) };
const [nonce, deadline] = ['3', 1_000n];

const typedData = inputTypedData({ ...input, agreementAddress: agreement, nonce: BigInt(nonce), deadline });
const { r, s, yParity } = parseSignature(await account.signTypedData(typedData));
const v = 27 + yParity;

type Parts = { by?: Hex; inputId?: Hex; until?: bigint; signature?: { r: Hex; s: Hex } };
const encodeCall = ({ by = signer, inputId = input.inputId, until = deadline, signature }: Parts = {}) =>
  encodeFunctionData({
    abi: agreementEngineAbi,
    functionName: 'submitInputWithPermit',
    args: [by, inputId, input.payload, until, v, signature?.r ?? r, signature?.s ?? s],
  });
/** A call to another contract that contains these calls. */
const wrap = (calls: readonly Hex[]) => concat(['0x01020304', ...calls]);
const repeat = (count: number, call: (at: number) => Hex) =>
  Array.from({ length: count }, (_, at) => call(at));

async function find(data: Hex, { isDirect = false } = {}) {
  const tried: string[] = [];
  let breaths = 0;
  const permit = await findPermit({
    ...{ places: findPermitPlaces({ data, isDirect, kind: 'input' }), signer, nonce, subject: input.inputId },
    buildMessage(one) {
      tried.push(one.deadline);
      return buildInputMessage(one, input);
    },
    pace: {
      async breathe() {
        breaths++;
      },
    },
  });
  return { permit, tried: tried.length, breaths };
}

test('a permit is found in a direct call, and at any byte inside a call to another contract', async () => {
  const found = { signer, nonce, deadline: '1000', v, r, s };
  expect(await find(encodeCall(), { isDirect: true })).toMatchObject({ permit: found, tried: 1 });
  expect(await find(wrap([encodeCall()]))).toMatchObject({ permit: found, tried: 1 });
  expect(await find(wrap(['0x00', encodeCall()]), { isDirect: true })).toMatchObject({
    permit: null,
    tried: 0,
  });
});

test('only calls of the signer for the same input are checked, however many others stand before', async () => {
  const others = repeat(300, (at) => encodeCall({ by: pad(toHex(at + 1), { size: 20 }) }));
  const inputs = repeat(300, (at) => encodeCall({ inputId: pad(toHex(at + 1)) }));
  const unsigned = repeat(20, () => encodeCall({ signature: { r: zeroHash, s: zeroHash } }));
  const { permit, tried } = await find(wrap([...others, ...inputs, ...unsigned, encodeCall()]));
  expect(permit).toMatchObject({ r, s });
  expect(tried).toBe(1);
});

test('a call that endlessly repeats a permit is given up, and the work pauses between any two', async () => {
  const wrong = repeat(1_000, (at) => encodeCall({ until: BigInt(at) }));
  expect(await find(wrap([...wrong, encodeCall()]))).toEqual({ permit: null, tried: 64, breaths: 64 });
});

test('permits that are kept hold nothing of the payloads and of the data in which they were found', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const measure = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const payloadBytes = 100_000;
  const count = 40;
  const findLong = async (at: number) => {
    const payload: Hex = `0x${String(10 + at).repeat(payloadBytes)}`;
    const long = { ...input, agreementAddress: agreement, payload, nonce: BigInt(nonce), deadline };
    const signature = parseSignature(await account.signTypedData(inputTypedData(long)));
    const data = encodeFunctionData({
      abi: agreementEngineAbi,
      functionName: 'submitInputWithPermit',
      args: [signer, input.inputId, payload, deadline, 27 + signature.yParity, signature.r, signature.s],
    });
    return findPermit({
      ...{ places: findPermitPlaces({ data, isDirect: true, kind: 'input' }), signer, nonce },
      subject: input.inputId,
      buildMessage: (one) => buildInputMessage(one, { ...input, payload }),
      pace: { breathe: () => Promise.resolve() },
    });
  };
  await findLong(0);
  const before = measure();
  const kept: Awaited<ReturnType<typeof findPermit>>[] = [];
  for (let at = 0; at < count; at++) kept.push(await findLong(at));
  const heldBytes = measure() - before;
  expect(kept).not.toContain(null);
  // The one payload hashed last stays for a permit that is tried again.
  expect(heldBytes).toBeLessThan(10 * payloadBytes);
});

test('data that end within a call hold no permit', async () => {
  const call = encodeCall();
  const head = 2 + 8 + 7 * 64;
  expect((await find(wrap([`0x${call.slice(2, head)}`]))).tried).toBe(1);
  expect((await find(wrap([`0x${call.slice(2, head - 2)}`]))).tried).toBe(0);
});

test("a deployment's permit is read from the words of either function", () => {
  const content = ['', zeroHash, zeroHash, [], [], [], [], []] as const;
  const permit = [deadline, v, r, s] as const;
  const ordinary = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementWithPermit',
    args: [signer, ...content, ...permit],
  });
  const deterministic = encodeFunctionData({
    abi: agreementFactoryAbi,
    functionName: 'createAgreementDeterministicWithPermit',
    args: [signer, zeroHash, ...content, ...permit],
  });
  for (const data of [ordinary, deterministic])
    for (const isDirect of [true, false]) {
      const places = findPermitPlaces({ data, isDirect, kind: 'deployment' });
      expect(places.list(signer, 'deployment')).toEqual([{ signer, deadline, v, r, s }]);
    }
});
