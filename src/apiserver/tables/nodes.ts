/** The columns of nodes (upstream: printNode). */
import type { Node } from '../../api/index.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

const ROLE_LABEL_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

export const nodeTable: TableKind = {
  columns: [
    nameColumn,
    column('Status', { description: 'Whether the node is ready and takes pods.' }),
    column('Roles', { description: 'Roles by its labels.' }),
    ageColumn,
    column('Version', { description: 'Version of its kubelet.' }),
    column('Internal-IP', { wide: true, description: 'Its first internal address.' }),
    column('External-IP', { wide: true, description: 'Its first external address.' }),
    column('OS-Image', { wide: true, description: 'Its operating system.' }),
    column('Kernel-Version', { wide: true, description: 'Its kernel.' }),
    column('Container-Runtime', { wide: true, description: 'Its container runtime.' }),
  ],
  cells: (object, now) => {
    const node = object as Node;
    const info = node.status?.nodeInfo;
    return [
      node.metadata?.name ?? '',
      statusText(node),
      rolesText(node),
      since(node.metadata?.creationTimestamp, now),
      info?.kubeletVersion ?? '',
      address(node, 'InternalIP'),
      address(node, 'ExternalIP'),
      info?.osImage || '<unknown>',
      info?.kernelVersion || '<unknown>',
      info?.containerRuntimeVersion || '<unknown>',
    ];
  },
};

function statusText(node: Node): string {
  const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (node.spec?.unschedulable === true) words.push('SchedulingDisabled');
  return words.join(',');
}

function rolesText(node: Node): string {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(node.metadata?.labels ?? {})) {
    if (label.startsWith(ROLE_LABEL_PREFIX) && label.length > ROLE_LABEL_PREFIX.length)
      roles.add(label.slice(ROLE_LABEL_PREFIX.length));
    else if (label === ROLE_LABEL && value !== '') roles.add(value);
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

function address(node: Node, type: string): string {
  return node.status?.addresses?.find((entry) => entry.type === type)?.address ?? '<none>';
}
