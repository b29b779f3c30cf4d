import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { documentSchema } from '../../../src/api/mcp/content/documentSchema.ts';
import { milestoneWork, simpleLoan } from '../../../src/api/mcp/content/exampleDocuments.ts';
import { validateAgreement } from '../../../src/protocol/index.ts';
import { buildTestSurfaces } from './surfaces.ts';

const { agents, hosted } = buildTestSurfaces();
const ajv = new Ajv2020({ strict: false });

describe('the definitions of the tools', () => {
  test('take no more than 6,000 tokens together', () => {
    expect(JSON.stringify(agents.tools).length / 4).toBeLessThanOrEqual(6_000);
  });

  test("describe each tool's arguments, its answer, and its effect on others", () => {
    expect(agents.tools.map(({ name }) => name)).toEqual([
      'find_agreements',
      'read_agreement',
      'draft_agreement',
      'simulate_agreement',
      'prepare_signature',
      'submit_signed',
      'read_events',
    ]);
    for (const { inputSchema, outputSchema, annotations, title } of agents.tools) {
      expect(ajv.validateSchema(inputSchema)).toBe(true);
      expect(outputSchema && ajv.validateSchema(outputSchema)).toBe(true);
      expect(title.length).toBeGreaterThan(0);
      expect(Object.keys(annotations).toSorted()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
    }
  });
});

describe('what agents read to write documents', () => {
  const validate = ajv.compile(documentSchema);

  test.each([
    ['the small example', simpleLoan],
    ['the larger example', milestoneWork],
  ])('%s is valid by the schema and by the protocol, without warnings', (_name, document) => {
    expect(validate(document), ajv.errorsText(validate.errors)).toBe(true);
    expect(validateAgreement(document).warnings).toEqual([]);
  });

  test("the schema refuses the guide's mistakes of shape", () => {
    expect(validate({ ...simpleLoan, metadata: { name: 'x' } })).toBe(false);
    expect(validate({ ...simpleLoan, variables: { fee: { type: 'decimal' } } })).toBe(false);
    const [first, ...others] = milestoneWork.execution.transitions;
    const transitions = [{ ...first, conditions: [] }, ...others];
    expect(validate({ ...milestoneWork, execution: { ...milestoneWork.execution, transitions } })).toBe(
      false,
    );
  });

  test('each resource has an address of its own and something to read', () => {
    const { resources } = agents;
    expect(new Set(resources.map(({ uri }) => uri)).size).toBe(resources.length);
    for (const { text } of resources) expect(text.length).toBeGreaterThan(300);
  });

  test.each([
    ['/mcp', agents, hosted],
    ['/mcp/compat', hosted, agents],
  ])('of %s, prompts and resources name only tools that are there', (_path, surface, other) => {
    const texts = [
      ...surface.prompts.map(({ write }) => write({})),
      ...surface.resources.flatMap(({ description, text }) => [description, text]),
    ].join('\n');
    const namedOf = ({ tools }: typeof surface) => tools.filter(({ name }) => texts.includes(name));
    expect(namedOf(other)).toEqual([]);
    expect(namedOf(surface)).not.toEqual([]);
  });
});
