import { expect, it } from 'vitest';
import { dropFields } from './drop-fields.ts';

const pod = {
  metadata: { name: 'p', labels: { 'a.b/c': 'x', d: 'y' } },
  spec: { containers: [{ name: 'main' }, { name: 'Bad' }], volumes: [{ name: 'v', hostPath: { type: 'odd' } }, {}] },
};

it.each<[string, readonly string[], object]>([
  ['a field', ['spec.volumes[0].hostPath.type'], { spec: { ...pod.spec, volumes: [{ name: 'v', hostPath: {} }, {}] } }],
  ['a key of a map', ['metadata.labels[a.b/c]'], { metadata: { name: 'p', labels: { d: 'y' } } }],
  ['what holds a missing field', ['spec.volumes[1].name'], { spec: { ...pod.spec, volumes: [pod.spec.volumes[0]] } }],
  [
    'an item of a list',
    ['spec.containers[1].name', 'spec.containers[1]'],
    { spec: { ...pod.spec, containers: [{ name: 'main' }] } },
  ],
  [
    'items of one list, whatever their order',
    ['spec.volumes[0]', 'spec.volumes[1]'],
    { spec: { ...pod.spec, volumes: [] } },
  ],
  ['nothing that the rest stands on', ['spec.containers', 'metadata.name', 'spec'], {}],
  ['nothing for a path that leads nowhere', ['', 'status.x'], {}],
])('drops %s', (_, fields, changed) => {
  const before = JSON.stringify(pod);
  expect(dropFields(pod, fields)).toEqual({ ...pod, ...changed });
  expect(JSON.stringify(pod)).toBe(before);
});
