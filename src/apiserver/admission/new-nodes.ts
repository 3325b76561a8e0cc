/** TaintNodesByCondition: a new node takes no pods until the node lifecycle controller has seen it Ready. Pure. */
import type { Node } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export function taintNewNode(object: ApiObject): ApiObject {
  const { spec = {} } = object as Node;
  const taints = spec.taints ?? [];
  if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return object;
  return { ...object, spec: { ...spec, taints: [...taints, NOT_READY] } };
}
