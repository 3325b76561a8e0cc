/** The strategy of namespaces: `spec.finalizers` holds them until the controller has emptied them. */
import { forbidden, type Namespace, NAMESPACES } from '../../api/index.ts';
import { withMeta } from './object.ts';
import type { Strategy } from './registration.ts';

/** Every namespace has it, those with a generated name included. */
const NAME_LABEL = 'kubernetes.io/metadata.name';
const CONTENT_FINALIZER = 'kubernetes';

/** They are there from the start. */
export const SYSTEM_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
/** They may not be deleted (upstream: the NamespaceLifecycle plugin). */
const IMMORTAL_NAMESPACES: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

export const namespaceStrategy: Strategy = {
  prepareForCreate: (object) => {
    const { spec } = object as Namespace;
    const finalizers = [...new Set([...(spec?.finalizers ?? []), CONTENT_FINALIZER])];
    const { name = '', labels } = object.metadata;
    const named = withMeta(object, { labels: { ...labels, [NAME_LABEL]: name } });
    return { ...named, spec: { ...spec, finalizers }, status: { phase: 'Active' } };
  },
  prepareForUpdate: (object, old) => {
    const { finalizers } = (old as Namespace).spec ?? {};
    return { ...object, spec: finalizers === undefined ? {} : { finalizers } };
  },
  refuseDelete: (name) => {
    if (IMMORTAL_NAMESPACES.has(name)) throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
  },
  isHeld: (object) => ((object as Namespace).spec?.finalizers ?? []).length > 0,
  markDeleting: (object) => ({ ...object, status: { ...(object as Namespace).status, phase: 'Terminating' } }),
};
