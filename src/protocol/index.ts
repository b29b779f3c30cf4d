/** The protocol in pure functions: authored documents, on-chain parameters, permits, payloads and chains. No I/O. */
export { type Chain, chains, type Environment, findChain, supportedChains } from './chains.ts';
export { type CompileOptions, compileAgreement } from './compileAgreement.ts';
export { hashDocument, serializeAgreement } from './document.ts';
export {
  encodeDataFields,
  hashActions,
  hashInitVars,
  hashInputDefs,
  hashTransitions,
  hashVerifiers,
} from './encodeArrays.ts';
export { encodeInputPayload } from './encodePayload.ts';
export { AgreementError, type Issue, PayloadError, ProtocolError, ValuesError } from './errors.ts';
export { nameHash } from './names.ts';
export * from './onChain.ts';
export {
  type DeployPermit,
  deployTypedData,
  hashParameters,
  type InputPermit,
  inputTypedData,
} from './typedData.ts';
export type { WireValue, WireValues } from './values.ts';
