import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../registry/object.ts';
import { healingWarnings } from './healing-warnings.ts';

const pod = (annotations: Record<string, string>): ApiObject => ({
  metadata: { name: 'web', namespace: 'default', annotations },
});
const POLICY = 'mendlet.dev/healing-policy';

describe('a pod is taken with a warning', () => {
  it.each<[Record<string, string>, ...string[]]>([
    [{ [POLICY]: 'rungs: [{scope: pod}]\nmaxPodRestarts: 3' }],
    [{ [POLICY]: '{"backOff":{"initial":"1s"}}' }],
    [{ 'mendlet.dev/restart-request': '{"id":"1"}', 'mendlet.dev/depends-on': 'service/db' }],
    [{ else: '{' }],
    [
      { [POLICY]: 'rungs: [{scope: sky}]' },
      'metadata.annotations[mendlet.dev/healing-policy]: not heeded: rungs[0].scope: Unsupported value: "sky"',
    ],
    [
      { [POLICY]: 'rungs: [' },
      'metadata.annotations[mendlet.dev/healing-policy]: not heeded: it is neither JSON nor YAML: ',
    ],
    [{ [POLICY]: `rungs: ${'x'.repeat(40_000)}` }, 'it is longer than 32768 bytes'],
    [
      {
        [POLICY]: `a0: &a0 [${'x,'.repeat(9)}x]\n${Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}*a${n}]`).join('\n')}`,
      },
      'is too large, or nested too deep',
    ],
    [
      { 'mendlet.dev/restart-request': '{"scope":"pod"}' },
      'metadata.annotations[mendlet.dev/restart-request]: not heeded: id: Required value',
    ],
    [{ 'mendlet.dev/depends-on': 'planet/mars' }, 'metadata.annotations[mendlet.dev/depends-on]: not heeded: '],
  ])('%#', (annotations, ...expected) => {
    const found = healingWarnings(pod(annotations), undefined);
    expect(found).toHaveLength(expected.length);
    for (const [position, text] of expected.entries()) expect(found[position]).toContain(text);
  });
});

it('says it of templates, too', () => {
  const template = { metadata: { annotations: { [POLICY]: '[]' } } };
  const path = 'template.metadata.annotations[mendlet.dev/healing-policy]: not heeded: ';
  const [ofSet] = healingWarnings({ metadata: {}, spec: { template } }, undefined);
  expect(ofSet).toContain(`spec.${path}`);
  const [ofCron] = healingWarnings({ metadata: {}, spec: { jobTemplate: { spec: { template } } } }, undefined);
  expect(ofCron).toContain(`spec.jobTemplate.spec.${path}`);
});

it('says it once: who changes something else hears nothing', () => {
  expect(healingWarnings(pod({ [POLICY]: '[]', a: 'b' }), pod({ [POLICY]: '[]' }))).toEqual([]);
  expect(healingWarnings(pod({ [POLICY]: '[]' }), pod({}))).toHaveLength(1);
});
