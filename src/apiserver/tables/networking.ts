/** The columns of the networking kinds (upstream: printIngress, printNetworkPolicy, printServiceCIDR and their siblings). */
import type { Ingress, IngressClass, IPAddress, LabelSelector, NetworkPolicy, ServiceCIDR } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, type Cell, column, type ColumnDefinition, nameColumn, since, type TableKind } from './table.ts';

const NONE = '<none>';
/** Hosts that one cell names. */
const MAX_HOSTS = 3;

function table(columns: readonly ColumnDefinition[], middle: (object: ApiObject) => readonly Cell[]): TableKind {
  return {
    columns: [nameColumn, ...columns, ageColumn],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...middle(object),
      since(object.metadata.creationTimestamp, now),
    ],
  };
}

export const ingressTable = table(
  [
    column('Class', { description: 'The class of controllers that heed it.' }),
    column('Hosts', { description: 'The hosts of its rules.' }),
    column('Address', { description: 'Where it is reached.' }),
    column('Ports', { description: 'Its ports: 443 when it has certificates.' }),
  ],
  (object) => {
    const { spec = {}, status } = object as Ingress;
    const points = status?.loadBalancer?.ingress ?? [];
    return [
      spec.ingressClassName ?? object.metadata.annotations?.['kubernetes.io/ingress.class'] ?? NONE,
      hostsText((spec.rules ?? []).map(({ host }) => host ?? '').filter((host) => host !== '')),
      points.map(({ ip, hostname }) => ip || hostname || '').join(','),
      (spec.tls?.length ?? 0) > 0 ? '80, 443' : '80',
    ];
  },
);

function hostsText(hosts: readonly string[]): string {
  if (hosts.length === 0) return '*';
  const shown = hosts.slice(0, MAX_HOSTS).join(',');
  return hosts.length > MAX_HOSTS ? `${shown} + ${hosts.length - MAX_HOSTS} more...` : shown;
}

export const ingressClassTable = table(
  [
    column('Controller', { description: 'Who heeds ingresses of this class.' }),
    column('Parameters', { description: 'The object with its settings.' }),
  ],
  (object) => {
    const { controller = '', parameters } = (object as IngressClass).spec ?? {};
    if (parameters === undefined) return [controller, NONE];
    const { apiGroup, kind, name } = parameters;
    return [controller, `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`];
  },
);

export const networkPolicyTable = table(
  [column('Pod-Selector', { description: 'Labels of the pods that it is about.' })],
  (object) => [selectorText((object as NetworkPolicy).spec?.podSelector)],
);

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const list = `(${values.toSorted().join(',')})`;
    if (operator === 'In') return `${key} in ${list}`;
    if (operator === 'NotIn') return `${key} notin ${list}`;
    return operator === 'Exists' ? key : `!${key}`;
  });
  return [...labels, ...expressions].sort().join(',') || NONE;
}

export const serviceCidrTable = table([column('CIDRs', { description: 'The ranges of addresses.' })], (object) => [
  ((object as ServiceCIDR).spec?.cidrs ?? []).join(','),
]);

/** Without an age, as upstream's. */
export const ipAddressTable: TableKind = {
  columns: [nameColumn, column('ParentRef', { description: 'Whose address it is.' })],
  cells: (object) => {
    const parent = (object as IPAddress).spec?.parentRef;
    const name = object.metadata.name ?? '';
    if (parent === undefined) return [name, NONE];
    const kind = `${parent.resource ?? ''}${parent.group ? `.${parent.group}` : ''}`.toLowerCase();
    return [name, [kind, ...(parent.namespace ? [parent.namespace] : []), parent.name ?? ''].join('/')];
  },
};
