import { pingPong } from '../../../bench/pingPong.ts';

const { execution } = pingPong;

/** An agreement that never ends. Anyone may hit, which changes the state, or applaud, which does not. */
export const rally = {
  ...pingPong,
  metadata: { id: 'did:example:rally', name: 'Rally' },
  execution: {
    ...execution,
    inputs: { ...execution.inputs, applaud: { data: {} } },
    transitions: [
      ...execution.transitions,
      { from: 'PING', to: 'PING', conditions: [{ input: 'applaud' }] },
      { from: 'PONG', to: 'PONG', conditions: [{ input: 'applaud' }] },
    ],
  },
};
