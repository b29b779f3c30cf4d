/**
 * An agreement that takes notes while its door is open. Anyone may shut and open the door, so the order of
 * inputs matters.
 */
export const door = {
  metadata: { id: 'did:example:door', name: 'Door' },
  variables: {},
  content: { type: 'md', data: '# Door' },
  execution: {
    initialize: { initialState: 'OPEN', data: {} },
    states: { OPEN: { description: 'Takes notes.' }, SHUT: { description: 'Takes none.' } },
    inputs: {
      write: { data: { note: { type: 'string', validation: { required: true } } } },
      shut: { data: { note: { type: 'string', validation: { required: true } } } },
      open: { data: { note: { type: 'string', validation: { required: true } } } },
    },
    transitions: [
      { from: 'OPEN', to: 'OPEN', conditions: [{ input: 'write' }] },
      { from: 'OPEN', to: 'SHUT', conditions: [{ input: 'shut' }] },
      { from: 'SHUT', to: 'OPEN', conditions: [{ input: 'open' }] },
    ],
  },
};

export type DoorInput = 'write' | 'shut' | 'open';
