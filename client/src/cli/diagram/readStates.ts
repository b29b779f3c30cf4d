import { isJsonObject } from '../../../../src/protocol/jsonCursor.ts';

/** The readable states of a document and the ways between them. */
export type StateGraph = {
  readonly initial: string | undefined;
  readonly states: readonly { readonly id: string; readonly description: string | undefined }[];
  readonly transitions: readonly {
    readonly from: string;
    readonly to: string;
    readonly inputs: readonly string[];
  }[];
};

/** Draws no conclusions: a faulty document is shown as written. */
export function readStates(agreement: unknown): StateGraph {
  const execution = member(agreement, 'execution');
  const initial = text(member(member(execution, 'initialize'), 'initialState'));
  const authored = member(execution, 'transitions');
  const ways = new Map<string, { from: string; to: string; inputs: string[] }>();
  for (const transition of Array.isArray(authored) ? authored : []) {
    const [from, to] = [text(member(transition, 'from')), text(member(transition, 'to'))];
    if (from === undefined || to === undefined) continue;
    const conditions = member(transition, 'conditions');
    const input = text(member(Array.isArray(conditions) ? conditions[0] : undefined, 'input')) ?? '?';
    const key = JSON.stringify([from, to]);
    const way = ways.get(key) ?? { from, to, inputs: [] };
    way.inputs.push(input);
    ways.set(key, way);
  }
  const transitions = [...ways.values()];
  const described = member(execution, 'states');
  const named = [
    ...(initial === undefined ? [] : [initial]),
    ...transitions.flatMap(({ from, to }) => [from, to]),
  ];
  const ids = [...new Set([...(isJsonObject(described) ? Object.keys(described) : []), ...named])];
  const states = ids.map((id) => ({ id, description: text(member(member(described, id), 'description')) }));
  return { initial, states, transitions };
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
