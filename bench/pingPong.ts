/** The smallest endless agreement: two states, and an input from anyone that switches between them. */
export const pingPong = {
  metadata: { id: 'did:example:ping-pong', name: 'Ping pong' },
  variables: {},
  content: { type: 'md', data: '# Ping pong' },
  execution: {
    initialize: { initialState: 'PING', data: {} },
    states: { PING: { description: 'The next hit makes it a pong.' }, PONG: { description: 'And back.' } },
    inputs: { hit: { data: { note: { type: 'string', validation: { required: true } } } } },
    transitions: [
      { from: 'PING', to: 'PONG', conditions: [{ input: 'hit' }] },
      { from: 'PONG', to: 'PING', conditions: [{ input: 'hit' }] },
    ],
  },
};
