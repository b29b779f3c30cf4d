import type { AdmissionServices, LocalFacts } from '../admission/createAdmission.ts';
import { type DeployedRecord, type DeployedReference, requireDeployed } from './deployedRecord.ts';
import { type CompiledInput, compileInput, type SignedInput } from './inputPermit.ts';
import { lookAtInput } from './lookAtInput.ts';

/** An input with its record, read without any change. */
export type InputView = {
  readonly target: DeployedRecord;
  /** Undefined for values without an encoding. */
  readonly compiled: CompiledInput | undefined;
  /** After everybody's open inputs; undefined if a node must decide. */
  readonly looking: Promise<LocalFacts | undefined>;
};

/** @throws as `requireDeployed` does; only `looking` says what fails in index and outbox. */
export async function viewInput(
  input: SignedInput & DeployedReference,
  services: AdmissionServices,
): Promise<InputView> {
  const target = await requireDeployed(services.pool, input);
  const compiled = compileInput(input, target);
  const looking = lookAtInput({ input, target, compiled }, services);
  // A failure counts only for a permit that is not known.
  looking.catch(() => {});
  return { target, compiled, looking };
}
