import { expect, it } from 'vitest';
import { profilesFromAnnotations } from './app-armor.ts';

const NAME = 'container.apparmor.security.beta.kubernetes.io/c';

function profiled(annotation: string, securityContext: object = {}, own: object = {}) {
  const pod = {
    metadata: { name: 'p', annotations: { [NAME]: annotation } },
    spec: { securityContext, containers: [{ name: 'c', securityContext: own }, { name: 'other' }] },
  };
  const { object, warnings } = profilesFromAnnotations(pod);
  const { spec } = object as unknown as { spec: { containers: { securityContext?: { appArmorProfile?: object } }[] } };
  expect(spec.containers[1]).toEqual({ name: 'other' });
  return { profile: spec.containers[0]?.securityContext?.appArmorProfile, warned: warnings.length };
}

it.each<[string, object | undefined]>([
  ['unconfined', { type: 'Unconfined' }],
  ['runtime/default', { type: 'RuntimeDefault' }],
  ['localhost/tight', { type: 'Localhost', localhostProfile: 'tight' }],
  ['localhost/', undefined],
  ['localhost/ tight', undefined],
  ['something', undefined],
])('the annotation %s becomes %j, and is said to be old', (annotation, profile) => {
  expect(profiled(annotation)).toEqual({ profile, warned: 1 });
});

it('a field of the container wins in silence', () => {
  const own = { appArmorProfile: { type: 'RuntimeDefault' } };
  expect(profiled('unconfined', {}, own)).toEqual({ profile: own.appArmorProfile, warned: 0 });
});

it('what the pod says for all need not be said again', () => {
  const pod = { appArmorProfile: { type: 'Unconfined' } };
  expect(profiled('unconfined', pod)).toEqual({ profile: undefined, warned: 0 });
  expect(profiled('runtime/default', pod)).toEqual({ profile: { type: 'RuntimeDefault' }, warned: 1 });
});
