import { expect, it } from 'vitest';
import {
  newCsiNode,
  NODE_ID_ANNOTATION,
  nodePatch,
  nodePatchWithout,
  withDriver,
  withoutDriver,
} from './node-objects.ts';

const info = { nodeId: 'id', maxVolumes: 3, topology: { zone: 'a', host: 'b' } };
const node = (labels: Record<string, string> = {}, annotations: Record<string, string> = {}) => ({
  metadata: { name: 'n', uid: 'u', labels, annotations },
});

it('a driver gets its entry, once, and loses it', () => {
  const first = withDriver(newCsiNode(node()), 'd', info);
  const entry = { name: 'd', nodeID: 'id', topologyKeys: ['host', 'zone'], allocatable: { count: 3 } };
  expect(first?.spec.drivers).toEqual([entry]);
  expect(first?.metadata?.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }]);
  if (first === undefined) throw new Error('no change');
  expect(withDriver(first, 'd', info)).toBe(undefined);
  const other = withDriver(first, 'e', { nodeId: 'x', maxVolumes: 0, topology: {} });
  expect(other?.spec.drivers).toEqual([entry, { name: 'e', nodeID: 'x' }]);
  expect(withDriver(first, 'd', { ...info, maxVolumes: 2 ** 40 })?.spec.drivers[0]?.allocatable?.count).toBe(
    2 ** 31 - 1,
  );
  expect(withoutDriver(first, 'd')?.spec.drivers).toEqual([]);
  expect(withoutDriver(first, 'e')).toBe(undefined);
});

it('the Node gets the driver’s id and topology, and keeps others', () => {
  expect(nodePatch(node({ own: 'x' }, { [NODE_ID_ANNOTATION]: '{"e":"y"}' }), 'd', info)).toEqual({
    metadata: { labels: { zone: 'a', host: 'b' }, annotations: { [NODE_ID_ANNOTATION]: '{"e":"y","d":"id"}' } },
  });
  expect(nodePatch(node(info.topology, { [NODE_ID_ANNOTATION]: '{"d":"id"}' }), 'd', info)).toBe(undefined);
  expect(nodePatch(node({}, { [NODE_ID_ANNOTATION]: 'broken' }), 'd', { ...info, topology: {} })).toEqual({
    metadata: { annotations: { [NODE_ID_ANNOTATION]: '{"d":"id"}' } },
  });
});

it('another value of a topology label is a collision', () => {
  expect(() => nodePatch(node({ zone: 'z' }), 'd', info)).toThrow(
    'detected topology value collision: driver reported "zone":"a" but existing label is "zone":"z"',
  );
});

it('the id goes with the driver, the annotation with the last', () => {
  expect(nodePatchWithout(node({}, { [NODE_ID_ANNOTATION]: '{"d":"id","e":"y"}' }), 'd')).toEqual({
    metadata: { annotations: { [NODE_ID_ANNOTATION]: '{"e":"y"}' } },
  });
  expect(nodePatchWithout(node({}, { [NODE_ID_ANNOTATION]: '{"d":"id"}' }), 'd')).toEqual({
    metadata: { annotations: { [NODE_ID_ANNOTATION]: null } },
  });
  expect(nodePatchWithout(node(), 'd')).toBe(undefined);
});
