import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { parseYamlText } from './yaml.ts';
import { NotInStepsError, YAML_STEP_CHARACTERS, yamlSteps } from './yaml-steps.ts';

function inSteps(text: string): { readonly value: unknown; readonly longest: number; readonly count: number } {
  const steps = yamlSteps(text);
  let longest = 0;
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done === true) return { value, longest, count };
    longest = Math.max(longest, value.text.length);
  }
}

/** A definition of some hundred kilobytes: schemas within schemas, texts of several lines. */
function definition(fields: number): object {
  const field = (name: string): object => ({
    type: 'object',
    description: `What ${name} is: a text,\nof two lines # and no comment.\n`,
    properties: {
      a: { type: 'string', enum: ['yes', 'no: it is', '- x'] },
      'b.c/d': { type: 'integer', default: 1e3 },
    },
    required: ['a'],
  });
  const properties = Object.fromEntries(Array.from({ length: fields }, (_, n) => [`field${n}`, field(`field${n}`)]));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'a.b', annotations: { yes: 'on', '1': '0644' } },
    spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties } } }, { name: 'v2' }] },
  };
}

describe('a large text', () => {
  it.each([
    ['as it is dumped', {}],
    ['with items at the indentation of their key', { seqNoIndent: true }],
    ['with all texts in quotes', { forceQuotes: true }],
  ])('%s is the same in steps, none of which is long', (_, options) => {
    const text = `# a comment\n---\n${dump(definition(500), options)}`;
    const { value, longest, count } = inSteps(text);
    expect(value).toEqual(parseYamlText(text));
    expect(longest).toBeLessThanOrEqual(YAML_STEP_CHARACTERS);
    expect(count).toBeGreaterThan(text.length / YAML_STEP_CHARACTERS);
  });

  it('has comments and blank lines anywhere', () => {
    const text = dump(definition(300)).replaceAll(/\n( +properties:)/g, '\n\n# a comment: of a line\n$1');
    expect(inSteps(text).value).toEqual(parseYamlText(text));
  });

  it('is one step where it is one value', () => {
    const text = `a: |\n${'  a line: of text\n'.repeat(5000)}b: 1\n`;
    expect(inSteps(text)).toMatchObject({ value: parseYamlText(text), count: 3 });
  });

  it.each([
    ['two documents', 'a: 1\n---\nb: 2\n'],
    ['a key twice', `a: 1\nb: ${'x'.repeat(YAML_STEP_CHARACTERS)}\na: 2\n`],
  ])('with %s is not read', (_, text) => {
    expect(() => inSteps(text)).toThrow(NotInStepsError);
  });

  it('with an alias of another part is not read', () => {
    const filler = `b: ${'x'.repeat(YAML_STEP_CHARACTERS)}\n`;
    expect(() => inSteps(`a: &x\n  c: 1\n${filler}d: *x\n`)).toThrow('unidentified alias');
  });
});

it('whatever is dumped is the same in steps, or is not read in steps', () => {
  const text = fc.string({ minLength: 0, maxLength: 40 });
  const value = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie('list'), tie('map')),
    list: fc.array(tie('node'), { maxLength: 5 }),
    map: fc.dictionary(text, tie('node'), { maxKeys: 5 }),
  })).node;
  const filler = Array.from({ length: 500 }, (_, n) => ({ n, text: 'some text that fills\nthe step\n' }));
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.boolean(), (values, seqNoIndent) => {
      const whole = dump({ a: { values, filler }, b: [{ values, filler }] }, { seqNoIndent, noRefs: true });
      expect(inSteps(whole).value).toEqual(parseYamlText(whole));
    }),
    { numRuns: 20 },
  );
});
