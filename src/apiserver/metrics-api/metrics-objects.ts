/** NodeMetrics and PodMetrics (k8s.io/metrics/pkg/apis/metrics/v1beta1). Pure. */
import { addQuantities, canonicalQuantity, type Node, type Pod, type Quantity } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { type Cell, column, nameColumn, type TableKind } from '../tables/table.ts';
import type { NodeFigures, PodFigures, Usage } from './node-figures.ts';
import { NODE_METRICS, POD_METRICS } from './rows.ts';

/** The kubelet's sampling period, which its rates are taken over. */
const WINDOW = '10s';

interface ResourceList {
  readonly cpu: Quantity;
  readonly memory: Quantity;
}

interface Metrics extends ApiObject {
  readonly timestamp: string;
  readonly window: string;
  readonly usage?: ResourceList;
  readonly containers?: readonly { readonly name: string; readonly usage: ResourceList }[];
}

/** `now`: wall ms. */
export function nodeMetrics(node: Node, { node: found }: NodeFigures, now: number): ApiObject | undefined {
  if (found === undefined) return undefined;
  const { name = '', labels } = node.metadata ?? {};
  const made: Metrics = {
    kind: NODE_METRICS.kind,
    apiVersion: `${NODE_METRICS.group}/${NODE_METRICS.version}`,
    metadata: { name, creationTimestamp: formatTime(now), ...(labels && { labels }) },
    timestamp: found.time,
    window: WINDOW,
    usage: resourceList(found.usage),
  };
  return made;
}

/** `undefined` for a pod that does not run, or that its node has no complete figures of. `now`: wall ms. */
export function podMetrics(pod: Pod, found: PodFigures | undefined, now: number): ApiObject | undefined {
  if (found === undefined || pod.status?.phase !== 'Running') return undefined;
  const { name = '', namespace = '', labels } = pod.metadata ?? {};
  const made: Metrics = {
    kind: POD_METRICS.kind,
    apiVersion: `${POD_METRICS.group}/${POD_METRICS.version}`,
    metadata: { name, namespace, creationTimestamp: formatTime(now), ...(labels && { labels }) },
    timestamp: found.time,
    window: WINDOW,
    containers: found.containers.map(({ name: container, usage }) => ({ name: container, usage: resourceList(usage) })),
  };
  return made;
}

function resourceList({ cpu, memory }: Usage): ResourceList {
  const nanoCores = Math.round(cpu);
  return {
    cpu: nanoCores === 0 ? '0' : `${nanoCores}n`,
    memory: canonicalQuantity(`${Math.floor(memory / 1024)}Ki`),
  };
}

/** `kubectl get podmetrics`. */
export const metricsTable: TableKind = {
  columns: [
    nameColumn,
    column('cpu', { format: 'quantity', description: 'CPU in use.' }),
    column('memory', { format: 'quantity', description: 'Working set.' }),
    column('Window', { format: 'duration', description: 'What the rate is taken over.' }),
  ],
  cells: (object): readonly Cell[] => {
    const { metadata, usage, containers = [], window } = object as Metrics;
    const all = usage === undefined ? containers.map((each) => each.usage) : [usage];
    const sum = (name: keyof ResourceList): Quantity =>
      all.reduce((total: Quantity, each) => addQuantities(total, each[name]), '0');
    return [metadata.name ?? '', sum('cpu'), sum('memory'), window];
  },
};
