import type { StateGraph } from './readStates.ts';

/** A state diagram as Mermaid text. Names are in quotes, so that none is read as syntax. */
export function drawMermaid(
  { initial, states, transitions }: StateGraph,
  current: string | undefined,
): string {
  const idOf = new Map(states.map(({ id }, at) => [id, `s${at}`]));
  const leaving = new Set(transitions.filter(({ from, to }) => from !== to).map(({ from }) => from));
  return [
    'stateDiagram-v2',
    ...states.map(({ id }) => `  state "${quote(id)}" as ${idOf.get(id)}`),
    ...(initial === undefined ? [] : [`  [*] --> ${idOf.get(initial)}`]),
    ...transitions.map(
      ({ from, to, inputs }) => `  ${idOf.get(from)} --> ${idOf.get(to)}: ${inputs.map(quote).join(', ')}`,
    ),
    ...states.filter(({ id }) => !leaving.has(id)).map(({ id }) => `  ${idOf.get(id)} --> [*]`),
    ...(current !== undefined && idOf.has(current)
      ? ['  classDef current stroke-width:3px', `  class ${idOf.get(current)} current`]
      : []),
  ].join('\n');
}

/** Mermaid reads `#NUMBER;` as a character. */
function quote(name: string): string {
  return name.replace(/[^\p{L}\p{N} _.-]/gu, (character) => `#${character.codePointAt(0)};`);
}
