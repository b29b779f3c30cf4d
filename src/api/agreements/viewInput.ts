import type { AdmissionServices, LocalFacts } from '../admission/createAdmission.ts';
import { type DeployedRecord, type DeployedReference, requireDeployed } from './deployedRecord.ts';
import { type CompiledInput, compileInput, type InputTarget, type SignedInput } from './inputPermit.ts';
import { lookAtInput } from './lookAtInput.ts';
import { findViewed, keepViewed } from './viewedRecords.ts';

/** An input with its record, read without any change. */
export type InputView = Look & { readonly target: DeployedRecord };

type Look = {
  /** Undefined for values without an encoding. */
  readonly compiled: CompiledInput | undefined;
  /** After everybody's open inputs; undefined if a node must decide. */
  readonly looking: Promise<LocalFacts | undefined>;
};

type Request = SignedInput & DeployedReference;

/**
 * Looks at index and outbox while the record is read, if the record was read before: its document and address seldom
 * change.
 *
 * @throws as `requireDeployed` does; only `looking` says what fails in index and outbox.
 */
export async function viewInput(input: Request, services: AdmissionServices): Promise<InputView> {
  const { pool } = services;
  const viewed = findViewed(pool, input);
  const expected = viewed && { ...viewed, agreement: JSON.parse(viewed.document) };
  const ahead = expected && look(input, expected, services);
  const target = await requireDeployed(pool, { ...input, parsed: expected });
  if (ahead && isAt(target, expected)) return { target, ...ahead };
  keepViewed(pool, input, target);
  return { target, ...look(input, target, services) };
}

function look(input: Request, target: InputTarget, services: AdmissionServices): Look {
  const compiled = compileInput(input, target);
  const looking = lookAtInput({ input, target, compiled }, services);
  // A failure counts only for a permit that is not known.
  looking.catch(() => {});
  return { compiled, looking };
}

/** @param expected has the target's own agreement if the documents are equal. */
function isAt(target: DeployedRecord, expected: InputTarget): boolean {
  return (
    target.agreement === expected.agreement &&
    target.chainId === expected.chainId &&
    target.address === expected.address
  );
}
