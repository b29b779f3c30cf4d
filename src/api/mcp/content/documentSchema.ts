const text = { type: 'string' } as const;
const list = (items: object) => ({ type: 'array', items }) as const;
const byName = (values: object) => ({ type: 'object', additionalProperties: values }) as const;
const ref = (name: string) => ({ $ref: `#/$defs/${name}` }) as const;

const types = ['string', 'dateTime', 'signature', 'address', 'uint256', 'bool', 'bytes32', 'txHash'];
const bound = {
  description: 'A whole number, or decimal text.',
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^\\d+$' },
  ],
};

/** The recommended shape of a document; the service also accepts some other spellings. */
export const documentSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Agreement document',
  type: 'object',
  required: ['metadata', 'variables', 'content', 'execution'],
  properties: {
    metadata: {
      type: 'object',
      properties: { templateId: text, id: text, name: text, version: text, description: text },
      anyOf: [{ required: ['templateId'] }, { required: ['id'] }],
    },
    variables: byName(ref('definition')),
    content: {
      type: 'object',
      required: ['type', 'data'],
      properties: {
        type: { enum: ['md', 'html', 'text'] },
        data: { ...text, description: `Shows values by \${variables.NAME}.` },
      },
    },
    execution: {
      type: 'object',
      required: ['initialize', 'states', 'inputs', 'transitions'],
      properties: {
        initialize: {
          type: 'object',
          required: ['initialState'],
          properties: {
            initialState: text,
            data: { type: 'object', description: 'Variables that have a value from the beginning.' },
          },
        },
        states: byName({ type: 'object', properties: { name: text, description: text } }),
        inputs: byName(ref('input')),
        transitions: list(ref('transition')),
        actions: list(ref('action')),
      },
    },
  },
  $defs: {
    definition: {
      type: 'object',
      required: ['type'],
      properties: {
        type: { enum: types },
        subtype: { description: 'participant for a party; the variable is an address then.', ...text },
        name: text,
        description: text,
        validation: ref('validation'),
      },
    },
    validation: {
      type: 'object',
      properties: {
        required: { type: 'boolean', default: true },
        min: bound,
        max: bound,
        minLength: bound,
        maxLength: bound,
        pattern: { ...text, description: 'Kept by the service alone.' },
        step: { ...bound, description: 'Kept by the service alone.' },
      },
    },
    field: {
      description: `A definition, or a text with \${variables.NAME} for a field that is that variable.`,
      anyOf: [ref('definition'), text],
    },
    issuer: {
      description: 'Who may send the input; anyone if it is missing.',
      anyOf: [
        {
          type: 'object',
          required: ['type', 'variable'],
          properties: { type: { const: 'participant' }, variable: text },
        },
        text,
        { ...list(text), minItems: 1 },
      ],
    },
    input: {
      type: 'object',
      properties: {
        displayName: text,
        description: text,
        issuer: ref('issuer'),
        schema: { anyOf: [byName(ref('field')), text] },
        data: byName(ref('field')),
      },
    },
    transition: {
      type: 'object',
      required: ['from', 'to', 'conditions'],
      properties: {
        from: text,
        to: text,
        conditions: {
          ...list({ type: 'object', required: ['input'], properties: { input: text } }),
          minItems: 1,
        },
      },
    },
    action: {
      type: 'object',
      required: ['when', 'call'],
      properties: {
        id: text,
        when: { type: 'object', required: ['from', 'input'], properties: { from: text, input: text } },
        call: {
          type: 'object',
          required: ['type', 'target', 'abi', 'method', 'args'],
          properties: {
            type: { const: 'evmCall' },
            target: text,
            value: text,
            abi: list({ type: 'object' }),
            method: text,
            args: { type: 'array' },
          },
        },
      },
    },
  },
};
