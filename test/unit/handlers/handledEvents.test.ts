import { fileURLToPath } from 'node:url';
import type { Abi } from 'viem';
import { expect, test } from 'vitest';
import { agreementEngineAbi } from '../../../abis/AgreementEngine.ts';
import { agreementFactoryAbi } from '../../../abis/AgreementFactory.ts';
import { readImportClosure } from '../../../src/indexer/runtime/importClosure.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Events that contracts of many projects emit. */
const generic = ['Initialized', 'EIP712DomainChanged'];

test("every event of the protocol is handled, and none of other projects' contracts", () => {
  const own = Object.entries({ AgreementFactory: agreementFactoryAbi, AgreementEngine: agreementEngineAbi })
    .flatMap(([contract, abi]: [string, Abi]) =>
      abi.flatMap((item) => (item.type === 'event' ? [`${contract}:${item.name}`] : [])),
    )
    .filter((name) => !generic.some((event) => name.endsWith(`:${event}`)));
  const code = [...readImportClosure(root, ['src/indexer/ponder/src/index.ts']).values()].join('\n');
  const handled = [...code.matchAll(/ponder\.on\('(\w+:\w+)'/g)].map(([, name]) => name);
  expect(handled.toSorted()).toEqual([...own, 'heads:block'].toSorted());
});
