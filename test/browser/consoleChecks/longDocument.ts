const states = 200;
const stateName = (at: number) => (at % 7 === 0 ? `مرحلة_${at}` : `STAGE_${at}_OF_THE_RENOVATION`);
const reference = (name: string) => `\${variables.${name}}`;
/** As long as a name without a possible line break may be. */
const longName = `${'very'.repeat(12)}Long`;
const inputs = 5;
const inputName = (at: number) => `completeStage${at % inputs}`;
const initial = stateName(0);
const range = Array.from({ length: states }, (_, at) => at);

/**
 * A document that strains the layout: 200 states in a row with ways back, names of full length, and
 * right-to-left text.
 */
export const longDocument = {
  displayName:
    'عقد ترميم المكتبة العامة · Renovation of the municipal library and of all of its outbuildings, stairwells and archives, including whatever is found behind walls (third amended version)',
  initValues: { place: 'רחוב הספרייה 12, קומה שלישית', [longName]: 'x'.repeat(300) },
  agreement: {
    metadata: { templateId: 'did:example:renovation', name: 'Renovation', id: 'did:example:renovation:long' },
    variables: {
      owner: { type: 'address', subtype: 'participant', name: 'مالك المبنى', validation: { required: true } },
      place: { type: 'string', name: 'Place of the works, as it stands in the register of buildings' },
      [longName]: { type: 'string' },
    },
    content: {
      type: 'md',
      data: `# عقد الترميم\n\nالمكان: ${reference('place')}\n\n${'The works begin when the owner has agreed to the first stage. '.repeat(20)}`,
    },
    execution: {
      initialize: {
        initialState: initial,
        data: {
          owner: reference('owner'),
          place: reference('place'),
          [longName]: reference(longName),
        },
      },
      states: Object.fromEntries(
        range.map((at) => [
          stateName(at),
          { description: `Stage ${at}: floors, walls and ceilings of room ${at}.` },
        ]),
      ),
      inputs: Object.fromEntries(
        range.slice(0, inputs).map((at) => [
          inputName(at),
          {
            displayName: `Complete stage ${at} and everything that belongs to it, with its inspection`,
            data: {},
            issuer: { type: 'participant', variable: 'owner' },
          },
        ]),
      ),
      transitions: range.map((at) => ({
        from: stateName(at),
        to: stateName(at % 20 === 19 ? at - 19 : Math.min(at + 1, states - 1)),
        conditions: [{ input: inputName(at) }],
      })),
    },
  },
};
