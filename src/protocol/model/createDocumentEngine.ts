import { compileKnown } from '../compileAgreement.ts';
import { ValuesError } from '../errors.ts';
import { listInitialVariables } from '../initialData.ts';
import { JsonCursor } from '../jsonCursor.ts';
import { nameHash } from '../names.ts';
import type { ActionInit } from '../onChain.ts';
import type { WireValues } from '../values.ts';
import { createEngine } from './createEngine.ts';
import type { Engine } from './engine.ts';

/** The known parts of the creation of an agreement that has a document's definitions. */
export type DocumentCreation = {
  readonly agreement: unknown;
  /** The values of its creation. An initial variable without a value here is unknown. */
  readonly initialValues: WireValues;
  /** The actions that the chain shows; absent: the document's own. */
  readonly actions?: readonly ActionInit[] | undefined;
};

/**
 * The engine of an agreement at its creation, as far as the creation is known.
 *
 * @throws AgreementError for a document that does not compile.
 * @throws ValuesError for an action of the document whose value is missing: its call is unknown.
 * @throws EngineRevert for a document that no contract can have been created from.
 */
export function createDocumentEngine({ agreement, initialValues, actions }: DocumentCreation): Engine {
  const { parameters, issues } = compileKnown(agreement, initialValues);
  const root = new JsonCursor(agreement);
  const authored = root.at('execution').at('actions').items();
  if (actions === undefined && parameters.actions.length < authored.length) throw new ValuesError(issues);
  const engine = createEngine({ ...parameters, actions: [...(actions ?? parameters.actions)] });
  const known = new Set(parameters.initVars.map(({ id }) => id));
  const unknown = listInitialVariables(root)
    .map(({ name }) => nameHash(name))
    .filter((id) => !known.has(id));
  return { ...engine, variables: engine.variables.with(unknown.map((id) => [id, 'unknown'] as const)) };
}
