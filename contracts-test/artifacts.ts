import { readFileSync } from 'node:fs';
import { type Hex, isHex } from 'viem';

/** The contracts whose compiled code is kept with the sources, so that running them needs no compiler. */
export type ArtifactName =
  | 'AgreementEngine'
  | 'AgreementFactory'
  | 'TestBatch'
  | 'TestToken'
  | 'TestVerifier';

/**
 * Returns a contract's creation code, without constructor arguments. Throws if the artifact is missing or
 * broken.
 */
export function readCreationCode(name: ArtifactName): Hex {
  const file = new URL(`artifacts/${name}.json`, import.meta.url);
  const { bytecode } = JSON.parse(readFileSync(file, 'utf8'));
  if (!isHex(bytecode))
    throw new Error(`artifacts/${name}.json has no bytecode: run npm run contracts:build`);
  return bytecode;
}
