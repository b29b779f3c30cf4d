/** The contract's rules, locally: simulate an agreement without a chain. Needs `viem`. */
export { compileAgreement } from '../../../src/protocol/compileAgreement.ts';
export { encodeInputPayload } from '../../../src/protocol/encodePayload.ts';
export { AgreementError, type Issue, ValuesError } from '../../../src/protocol/errors.ts';
export { applyInput, type InputCall, type InputOutcome } from '../../../src/protocol/model/applyInput.ts';
export { createEngine } from '../../../src/protocol/model/createEngine.ts';
export type { Engine, EngineParameters } from '../../../src/protocol/model/engine.ts';
export { EngineRevert, type Revert } from '../../../src/protocol/model/reverts.ts';
export { type AgreementReport, validateAgreement } from '../../../src/protocol/validateAgreement.ts';
export {
  createSimulation,
  type SimulatedAgreement,
  type SimulatedInput,
  type SimulatedOutcome,
  type Simulation,
} from './createSimulation.ts';
