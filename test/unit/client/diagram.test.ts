import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { drawDiagram } from '../../../client/src/cli/diagram/drawDiagram.ts';
import { layOutStates } from '../../../client/src/cli/diagram/layOutStates.ts';
import { readStates } from '../../../client/src/cli/diagram/readStates.ts';

const mural: unknown = JSON.parse(
  readFileSync(new URL('../../../examples/agreements/mural-commission.json', import.meta.url), 'utf8'),
);

describe('a diagram as SVG', () => {
  test('shows each state once and each way with its inputs, and is the same each time', () => {
    const svg = drawDiagram(mural, { as: 'svg', current: 'PAINTING' });
    expect(drawDiagram(mural, { as: 'svg', current: 'PAINTING' })).toBe(svg);
    for (const { id } of readStates(mural).states) expect(svg.split(`<title>${id}</title>`)).toHaveLength(2);
    expect(svg).toContain('>requestChanges</text>');
    expect(svg).toContain('<g class="current"><title>PAINTING</title>');
    expect(svg).toContain('<g class="final"><title>COMPLETED</title>');
  });

  test('has no boxes that lie upon each other, and all within the image', () => {
    const { states, width, height, boxHeight } = layOutStates(readStates(mural));
    for (const [at, one] of states.entries()) {
      expect(one.x - one.width / 2).toBeGreaterThanOrEqual(0);
      expect(one.x + one.width / 2).toBeLessThanOrEqual(width);
      expect(one.y + boxHeight / 2).toBeLessThanOrEqual(height);
      for (const other of states.slice(at + 1)) {
        const isBeside = Math.abs(one.x - other.x) >= (one.width + other.width) / 2;
        expect(isBeside || Math.abs(one.y - other.y) >= boxHeight, `${one.id} ${other.id}`).toBe(true);
      }
    }
  });

  test('takes names for text alone, whatever is in them, and draws what cannot be reached', () => {
    const name = '"><script>alert(1)</script>&\u0000\ud800';
    const transitions = [{ from: name, to: 'x'.repeat(500), conditions: [{ input: '</text><a>' }] }];
    const states = { [name]: {}, ALONE: {} };
    const svg = drawDiagram(
      { execution: { initialize: { initialState: name }, states, transitions } },
      { as: 'svg' },
    );
    expect(svg).not.toMatch(/<script|<a>/);
    expect(svg.isWellFormed()).toBe(true);
    expect(svg).not.toContain('\0');
    expect(svg).toContain('<title>ALONE</title>');
    expect(drawDiagram({}, { as: 'svg' })).toMatch(/^<svg [\s\S]*<\/svg>$/);
  });
});
