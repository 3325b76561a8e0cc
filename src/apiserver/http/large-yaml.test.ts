import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { type Breather, encodeText } from '../../lib/index.ts';
import { MAX_YAML_BODY_BYTES } from '../limits.ts';
import { readBody } from './body.ts';

function request(text: string): Parameters<typeof readBody>[0] {
  return { method: 'POST', url: '/', headers: { 'content-type': 'application/yaml' }, body: encodeText(text) };
}

function countingBreather(): Breather & { pauses: number } {
  const breather = {
    pauses: 0,
    pause: (): undefined => {
      breather.pauses += 1;
    },
    sent: () => {},
  };
  return breather;
}

describe('a body in YAML', () => {
  it('that is larger than one part may be is read in steps, between which others have their turn', async () => {
    const items = Array.from({ length: 5000 }, (_, n) => ({
      name: `item-${n}`,
      description: `${'some text about it, '.repeat(10)}\nin two lines\n`,
    }));
    const value = { spec: { versions: [{ name: 'v1', items }] } };
    const text = dump(value);
    expect(text.length).toBeGreaterThan(MAX_YAML_BODY_BYTES);
    const breather = countingBreather();
    expect((await readBody(request(text), { breather })).value).toEqual(value);
    expect(breather.pauses).toBeGreaterThan(text.length / 20_000);
  });

  it.each([
    ['one part that is too large', `a: {b: ${'x'.repeat(MAX_YAML_BODY_BYTES)}}\n`],
    ['too many lines', `a:\n${'  - b\n'.repeat(160_000)}`],
    ['levels without end', Array.from({ length: 1200 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
  ])('with %s is refused', async (_, text) => {
    await expect(readBody(request(text), { breather: countingBreather() })).rejects.toMatchObject({
      code: expect.any(Number) as number,
    });
  });

  it('whose parts need each other is read as a whole', async () => {
    const filler = `filler: ${'x'.repeat(40_000)}\n`;
    const { value } = await readBody(request(`a: &a\n  b: 1\n${filler}c: *a\n`), { breather: countingBreather() });
    expect(value).toMatchObject({ a: { b: 1 }, c: { b: 1 } });
  });
});
