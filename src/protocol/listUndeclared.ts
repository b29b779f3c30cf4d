import { listCallReferences } from './callReferences.ts';
import type { Issue } from './errors.ts';
import type { JsonCursor } from './jsonCursor.ts';
import { quote } from './quote.ts';
import { findVariable } from './variables.ts';

type Kind = 'state' | 'input';

/**
 * Names that the document uses without declaring them: states, inputs, and variables whose values its actions
 * need.
 */
export function listUndeclared(agreement: JsonCursor): Issue[] {
  const execution = agreement.at('execution');
  const declared = {
    state: new Set(execution.at('states').keys()),
    input: new Set(execution.at('inputs').keys()),
  };
  const check = (kind: Kind, place: JsonCursor): Issue[] => {
    if (typeof place.value !== 'string' || declared[kind].has(place.value)) return [];
    return [{ path: place.path, message: `names ${quote(place.value)}, which is not a declared ${kind}` }];
  };
  const transitions = execution
    .at('transitions')
    .items()
    .flatMap((transition) => {
      const first = transition.at('conditions').items()[0];
      const states = [transition.at('from'), transition.at('to')].flatMap((place) => check('state', place));
      return first === undefined ? states : [...states, ...check('input', first.at('input'))];
    });
  const actions = execution
    .at('actions')
    .items()
    .flatMap((action) => {
      const when = action.at('when');
      const occasion = [...check('state', when.at('from')), ...check('input', when.at('input'))];
      return [...occasion, ...listUndeclaredValues(agreement, action.at('call'))];
    });
  return [...check('state', execution.at('initialize').at('initialState')), ...transitions, ...actions];
}

function listUndeclaredValues(agreement: JsonCursor, call: JsonCursor): Issue[] {
  const unknown = listCallReferences(call).filter(({ name }) => findVariable(agreement, name) === undefined);
  return unknown.map(({ place, name }) => ({
    path: place.path,
    message: `names ${quote(name)}, which is not a declared variable`,
  }));
}
