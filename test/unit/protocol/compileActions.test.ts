import { describe, expect, test } from 'vitest';
import { AgreementError, compileAgreement, ValuesError } from '../../../src/protocol/index.ts';
import { alice, bob, buildDocument } from './documents.ts';
import { refusedPaths } from './issues.ts';

describe('actions', () => {
  const call = (parts: object) => ({
    type: 'evmCall',
    target: bob,
    abi: [{ type: 'function', name: 'ping', inputs: [{ type: 'uint256' }] }],
    method: 'ping',
    args: ['1'],
    ...parts,
  });
  const withCall = (parts: object, contracts?: object) =>
    buildDocument({ contracts, actions: [{ when: { from: 'A', input: 'go' }, call: call(parts) }] });
  const compileCall = (parts: object, values = {}) =>
    compileAgreement(withCall(parts), { values }).actions[0];

  test('a variable comes before a contract, and a value need not be stored initially', () => {
    const target = `\${contracts.token.address} \${variables.owner}`;
    expect(compileCall({ target }, { owner: alice })?.target).toBe(alice);
  });

  test('an integer parameter takes decimal, 0x and negative texts within its width', () => {
    const abi = [{ type: 'function', name: 'ping', inputs: [{ type: 'int8' }] }];
    expect(compileCall({ abi, args: ['-128'] })?.data.slice(10)).toBe(`${'f'.repeat(62)}80`);
    expect(refusedPaths(() => compileCall({ abi, args: ['128'] }))).toEqual([
      'execution.actions.0.call.args.0',
    ]);
  });

  test.each([
    [{ type: 'call' }, 'type'],
    [{ type: undefined }, 'type'],
    [{ method: 'pong' }, 'abi'],
    [{ method: 'toString', abi: [] }, 'abi'],
    [{ abi: '[]' }, 'abi'],
    [{ args: [] }, 'args'],
    [{ args: ['1', '2'] }, 'args'],
    [{ args: ['one'] }, 'args.0'],
    [{ args: [null] }, 'args.0'],
    [{ args: [{}] }, 'args.0'],
    [{ args: [`\${contracts.gone.address}`] }, 'args.0'],
    [{ target: 'nowhere' }, 'target'],
    [{ target: undefined }, 'target'],
    [{ value: `\${variables.amount}` }, 'value'],
    [{ value: -1 }, 'value'],
  ])('%j is refused at call.%s', (parts, path) => {
    const compile = () => compileAgreement(withCall(parts));
    expect(compile).toThrow(AgreementError);
    expect(refusedPaths(compile)[0]).toBe(`execution.actions.0.call.${path}`);
  });

  test.each([
    [{ target: `\${variables.owner}` }, {}, 'values.owner'],
    [{ target: `\${variables.note}` }, { note: 'no address' }, 'values.note'],
    [{ args: [`\${variables.note}`] }, { note: 'no number' }, 'values.note'],
    [{ args: [`\${variables.constructor}`] }, {}, 'values.constructor'],
  ])('%j with values %j is refused at %s', (parts, values, path) => {
    const compile = () => compileAgreement(withCall(parts), { values });
    expect(compile).toThrow(ValuesError);
    expect(refusedPaths(compile)).toEqual([path]);
  });

  test('an invalid contract address is refused at its place', () => {
    const agreement = withCall({ target: `\${contracts.token.address}` }, { token: { address: 'soon' } });
    expect(refusedPaths(() => compileAgreement(agreement))).toEqual(['contracts.token.address']);
  });
});
