/** How a document refers to a variable. */
export const reference = (name: string) => `\${variables.${name}}`;

/** A small document that uses much of the language. */
export function buildLease(tokenAddress: string) {
  return {
    metadata: { id: 'did:example:lease', templateId: 'did:template:lease', name: 'Lease' },
    variables: {
      landlord: { type: 'address', subtype: 'participant', validation: { required: true } },
      tenant: { type: 'address', subtype: 'participant', validation: { required: true } },
      rent: { type: 'uint256', validation: { required: true, min: 1 } },
      keeper: { type: 'address' },
      remark: { type: 'string', validation: { required: false, maxLength: 20 } },
    },
    content: { type: 'md', data: `Rent: ${reference('rent')}` },
    execution: {
      initialize: {
        initialState: 'OFFERED',
        data: {
          landlord: reference('landlord'),
          tenant: reference('tenant'),
          rent: reference('rent'),
        },
      },
      states: {
        OFFERED: { description: 'The tenant may accept.' },
        ACTIVE: { description: 'The tenant lives there.' },
        PAID: { description: 'The rent is paid.' },
      },
      inputs: {
        accept: {
          issuer: reference('tenant'),
          data: {
            remark: reference('remark'),
            months: { type: 'uint256', validation: { min: 1, max: 12, step: 3 } },
            code: { type: 'string', validation: { required: false, pattern: '^[A-Z]+$' } },
          },
        },
        appoint: {
          issuer: { type: 'participant', variable: 'landlord' },
          data: { keeper: reference('keeper') },
        },
        inspect: { issuer: reference('keeper'), data: {} },
        pay: { issuer: [reference('tenant'), reference('landlord')], data: {} },
        knock: { issuer: '', data: {} },
        idle: { issuer: reference('tenant'), data: {} },
      },
      transitions: [
        { from: 'OFFERED', to: 'ACTIVE', conditions: [{ input: 'accept' }] },
        { from: 'OFFERED', to: 'OFFERED', conditions: [{ input: 'appoint' }] },
        { from: 'OFFERED', to: 'OFFERED', conditions: [{ input: 'inspect' }] },
        { from: 'OFFERED', to: 'OFFERED', conditions: [{ input: 'knock' }] },
        { from: 'ACTIVE', to: 'PAID', conditions: [{ input: 'pay' }] },
      ],
      actions: [
        {
          id: 'collect',
          when: { from: 'ACTIVE', input: 'pay' },
          call: {
            type: 'evmCall',
            target: tokenAddress,
            abi: [
              {
                type: 'function',
                name: 'transferFrom',
                inputs: [
                  { name: 'from', type: 'address' },
                  { name: 'to', type: 'address' },
                  { name: 'value', type: 'uint256' },
                ],
              },
            ],
            method: 'transferFrom',
            args: [reference('tenant'), reference('landlord'), reference('rent')],
          },
        },
      ],
    },
  };
}

/** A document whose fields are in `schema` objects, which the public signing library does not read. */
export const schemaStyle = {
  metadata: { templateId: 'did:template:poll' },
  variables: { voter: { type: 'address', subtype: 'participant', validation: { required: true } } },
  content: { type: 'md', data: '' },
  execution: {
    initialize: { initialState: 'OPEN', data: { voter: reference('voter') } },
    states: { OPEN: { description: 'Vote.' }, CLOSED: { description: 'Counted.' } },
    inputs: {
      vote: {
        issuer: { type: 'participant', variable: 'voter' },
        schema: { choice: { type: 'string', validation: { required: false } } },
      },
    },
    transitions: [{ from: 'OPEN', to: 'CLOSED', conditions: [{ input: 'vote' }] }],
  },
};
