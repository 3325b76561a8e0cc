/** How the healing controllers write to pods: a merge patch, which any API server takes, of this very pod. Pure. */
import { nameOf, namespaceOf, type Pod, PODS, uidOf } from '../../api/index.ts';
import type { Operation } from '../operation.ts';
import type { AnnotationChange } from './plan-pod-policy.ts';

export function annotatePod(pod: Pod, annotations: AnnotationChange): Operation {
  return {
    verb: 'patch',
    resource: PODS,
    namespace: namespaceOf(pod),
    name: nameOf(pod),
    type: 'merge',
    patch: { metadata: { uid: uidOf(pod), annotations } },
  };
}
