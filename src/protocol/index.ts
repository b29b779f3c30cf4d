/** The protocol in pure functions: authored documents, on-chain parameters, permits, payloads and chains. No I/O. */
export { type AdoptionRequest, resolveAdoptedValues } from './adoptedValues.ts';
export { type Analysis, analyzeAgreement, analyzeInTurns } from './analysis/analyzeAgreement.ts';
export type { Finding } from './analysis/createReport.ts';
export { type Chain, chains, type Environment, findChain, supportedChains } from './chains.ts';
export { checkInputValues } from './checkInputValues.ts';
export { isWithinLimits } from './checkSize.ts';
export { type Comparison, type CreationPart, compareCreation, creationParts } from './compareCreation.ts';
export { type CompileOptions, compileAgreement } from './compileAgreement.ts';
export { type DecodedField, decodeInputPayload } from './decodePayload.ts';
export { hashDeploymentContent } from './deploymentContent.ts';
export {
  type DeployIssue,
  type DeployRequest,
  type DeployValues,
  resolveDeployValues,
} from './deployValues.ts';
export { hashDocument, serializeAgreement } from './document.ts';
export {
  type AgreementLimits,
  defaultAgreementLimits,
  defaultValueLimits,
  type ValueLimits,
} from './documentLimits.ts';
export {
  type AcceptedPayload,
  applyAcceptedInput,
  applyStoredAddresses,
  effectiveValues,
  initialStoredAddresses,
  type StoredAddresses,
  type ValueHistory,
} from './effectiveValues.ts';
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
export type { Issuer } from './issuers.ts';
export {
  type AcceptedInput,
  acceptedInputs,
  type FieldDescription,
  findTransition,
  inputName,
  issuerOf,
  stateName,
  transitionsFor,
} from './lookups.ts';
export {
  type AppliedInput,
  applyInput,
  type InputCall,
  type InputOutcome,
  type RefusedInput,
  type UndecidedInput,
} from './model/applyInput.ts';
export { type AgreementCourse, continueEngine, listStoringInputs } from './model/continueEngine.ts';
export { createDocumentEngine, type DocumentCreation } from './model/createDocumentEngine.ts';
export { createEngine } from './model/createEngine.ts';
export { type Engine, type EngineParameters, permitNonce, type StoredVariable } from './model/engine.ts';
export { EngineRevert, encodeRevert, type Revert } from './model/reverts.ts';
export { nameHash } from './names.ts';
export * from './onChain.ts';
export * as Op from './op.ts';
export { listSignedVariables } from './signedVariables.ts';
export {
  type DeployPermit,
  deployTypedData,
  hashParameters,
  type InputPermit,
  inputTypedData,
} from './typedData.ts';
export { warnOfUnsignedValues } from './unsignedValues.ts';
export { type AgreementReport, findTemplateId, validateAgreement } from './validateAgreement.ts';
export { parseAddress, type WireValue, type WireValues } from './values.ts';
export { valuesByName } from './valuesByName.ts';
