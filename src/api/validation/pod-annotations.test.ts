import { describe, expect, it } from 'vitest';
import { printFieldError } from '../field-error.ts';
import type { Pod } from '../types.gen.ts';
import { validatePodResize } from './pod-resize.ts';
import { validatePodTemplateSpec } from './pod-template.ts';
import { validatePod, validatePodStatusUpdate, validatePodUpdate } from './pod.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/c';

function pod(annotations: Readonly<Record<string, string>>, nodeName?: string): Pod {
  const containers = [{ name: 'c', image: 'x', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }];
  return {
    metadata: { name: 'p', namespace: 'n', annotations, uid: 'u', resourceVersion: '1' },
    spec: {
      containers,
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      ...(nodeName !== undefined && { nodeName }),
    },
  };
}

describe('a new pod', () => {
  it.each(['0', '-1', '1', '2147483647', '-2147483648'])('may cost %s', (cost) => {
    expect(validatePod(pod({ [COST]: cost }))).toEqual([]);
  });
  it.each(['', '+7', '01', '-', '1.5', 'x', '2147483648', ' 1'])('may not cost %j', (cost) => {
    expect(validatePod(pod({ [COST]: cost })).map(printFieldError)).toEqual([
      `metadata.annotations[${COST}]: Invalid value: ${JSON.stringify(cost)}: must be a 32bit integer`,
    ]);
  });
  it('mirrors only what runs on a node', () => {
    expect(validatePod(pod({ [MIRROR]: 'h' }, 'n1'))).toEqual([]);
    expect(validatePod(pod({ [MIRROR]: 'h' })).map(printFieldError)).toEqual([
      `metadata.annotations[${MIRROR}]: Invalid value: "h": must set spec.nodeName if mirror pod annotation is set`,
    ]);
  });
});

it('a template is held to the same', () => {
  const { metadata, spec } = pod({ [MIRROR]: 'h', [COST]: '+1' });
  expect(validatePodTemplateSpec({ metadata, spec }, 'spec.template').map(({ field }) => field)).toEqual([
    `spec.template.annotations[${MIRROR}]`,
    `spec.template.annotations[${COST}]`,
  ]);
});

describe.each([
  ['a change', validatePodUpdate],
  ['a change of the status', validatePodStatusUpdate],
  ['a resize', validatePodResize],
])('%s', (_, validate) => {
  const change = (now: Readonly<Record<string, string>>, before: Readonly<Record<string, string>>): string[] =>
    validate(pod(now, 'n1'), pod(before, 'n1')).map(printFieldError);
  it('makes no mirror of it', () => {
    const refused = `metadata.annotations[${MIRROR}]: Forbidden: may not add mirror pod annotation`;
    expect(change({ [MIRROR]: 'h' }, {})).toContain(refused);
  });
  it.each([
    [{ [APP_ARMOR]: 'a' }, {}, [`metadata.annotations[${APP_ARMOR}]: Forbidden: may not add AppArmor annotations`]],
    [
      { [APP_ARMOR]: 'a' },
      { [APP_ARMOR]: 'b' },
      [`metadata.annotations[${APP_ARMOR}]: Forbidden: may not remove or update AppArmor annotations`],
    ],
    [{ [COST]: 'x' }, {}, [`metadata.annotations[${COST}]: Invalid value: "x": must be a 32bit integer`]],
    [{ [COST]: 'x', a: 'b' }, { [COST]: 'y' }, []],
    [{ [COST]: '5', a: 'b' }, { [COST]: '4' }, []],
  ])('to %j from %j', (now, before, errors) => {
    expect(change(now, before)).toEqual(errors);
  });
});

it('a mirror stays one, of the same', () => {
  const update = (now: Readonly<Record<string, string>>): string[] =>
    validatePodUpdate(pod(now, 'n1'), pod({ [MIRROR]: 'h' }, 'n1')).map(printFieldError);
  const refused = [`metadata.annotations[${MIRROR}]: Forbidden: may not remove or update mirror pod annotation`];
  expect(update({ [MIRROR]: 'h', a: 'b' })).toEqual([]);
  expect(update({ [MIRROR]: 'i' })).toEqual(refused);
  expect(update({})).toEqual(refused);
});
