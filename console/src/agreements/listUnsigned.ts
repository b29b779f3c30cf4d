import { listSignedVariables } from '../../../src/protocol/signedVariables.ts';
import { listSubmittedVariables } from '../../../src/protocol/submittedVariables.ts';
import type { Shown, ShownInput } from './source.ts';

type Submitted = Pick<ShownInput, 'inputId' | 'status' | 'values'>;

/**
 * The variables whose shown values are neither in the deployment's signature nor in one of these inputs. A value of an
 * input that is not listed counts as not signed.
 */
export function listUnsigned(
  { json, variables }: Pick<Shown, 'json' | 'variables'>,
  inputs: readonly Submitted[],
): ReadonlySet<string> {
  const signed = new Set(listSignedVariables(json));
  for (const { inputId, status, values } of inputs) {
    if (status !== 'MINED') continue;
    for (const name of listSubmittedVariables(json, inputId))
      if (Object.hasOwn(values, name)) signed.add(name);
  }
  return new Set(Object.keys(variables).filter((name) => !signed.has(name)));
}
