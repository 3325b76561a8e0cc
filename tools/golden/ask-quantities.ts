/** Asks how a server stores spellings of quantities, in places of several kinds. */
import { refusalOf, type Refusal } from './answers.ts';
import { type Base, bodyOf, type Call, collectionOf, DRY, inParallel, type Json, NAMESPACE } from './call.ts';
import { parsePath, valueAt } from './places.ts';

export interface QuantityRow extends Partial<Refusal> {
  readonly kind: string;
  readonly path: string;
  /** Raw JSON text: strings keep their quotes. */
  readonly sent: string;
  readonly status: number;
  readonly got?: unknown;
}

const TEXTS =
  '1000m|1500m|100m|0.1|0.5|.5|5.|1.|+1|01|1|1.0|1.000|1e3|1E3|1e-3|1e+3|1.5e3|1E|1e|1Ki|1Mi|1024Ki|1024Mi|1000Mi|1536Mi|100M|1000M|1k|1K|1000k|1.5Gi|' +
  '0.5Gi|0.1Gi|1.5G|0.0005|1u|1n|100n|1000000n|1000000000n|1500000n|1m|0.001m|0|-0|0m|0Gi|00|-1|-1m|| |1 | 1|1 Gi|1gi|1GI|1mi|1B|1GB|a|0x10|1_000|1,5|' +
  'NaN|Inf|1e100|1e18|1e19|9223372036854775807|9223372036854775808|8Ei|7Ei|1Pi|1Ti|1T|1P|1024Gi|1000Gi|123456789|1000000|1048576|128974848|129e6|129M|' +
  '123Mi|1234567890123456789012|0.123456789123';
const BARE = '1|0|-1|0.5|1.5|1.0|1e3|1E3|1024|1000000|0.0001|1e19|true|null|[]|{}';
const SPELLINGS = [...TEXTS.split('|').map((text) => JSON.stringify(text)), ...BARE.split('|')];

/** Stands in an object where the quantity goes. */
const MARK = '@@quantity@@';
const META = { name: 'golden', namespace: NAMESPACE };
const GLOBAL = { name: 'golden' };
const CONTAINER = { name: 'c', image: 'registry.example/golden:1' };
const podWith = (container: object, volumes?: readonly object[]): Json => ({
  metadata: META,
  spec: { containers: [{ ...CONTAINER, ...container }], ...(volumes === undefined ? {} : { volumes }) },
});
const limited = (name: string): Json => podWith({ resources: { limits: { [name]: MARK } } });

/** apiVersion, kind, resource, where the quantity is, the object. */
const PLACES: readonly (readonly [string, string, string, string, Json])[] = [
  ['v1', 'Pod', 'pods', 'spec.containers[0].resources.limits[cpu]', limited('cpu')],
  ['v1', 'Pod', 'pods', 'spec.containers[0].resources.limits[memory]', limited('memory')],
  ['v1', 'Pod', 'pods', 'spec.containers[0].resources.limits[example.com/dev]', limited('example.com/dev')],
  [
    'v1',
    'Pod',
    'pods',
    'spec.volumes[0].emptyDir.sizeLimit',
    podWith({}, [{ name: 'v', emptyDir: { sizeLimit: MARK } }]),
  ],
  [
    'v1',
    'Pod',
    'pods',
    'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor',
    podWith({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: MARK } } }] }),
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
    'spec.resources.requests[storage]',
    { metadata: META, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: MARK } } } },
  ],
  [
    'v1',
    'PersistentVolume',
    'persistentvolumes',
    'spec.capacity[storage]',
    {
      metadata: GLOBAL,
      spec: { capacity: { storage: MARK }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    },
  ],
  [
    'v1',
    'ResourceQuota',
    'resourcequotas',
    'spec.hard[limits.cpu]',
    { metadata: META, spec: { hard: { 'limits.cpu': MARK } } },
  ],
  [
    'v1',
    'LimitRange',
    'limitranges',
    'spec.limits[0].max[memory]',
    { metadata: META, spec: { limits: [{ type: 'Container', max: { memory: MARK } }] } },
  ],
  ['v1', 'Node', 'nodes', 'status.capacity[cpu]', { metadata: GLOBAL, status: { capacity: { cpu: MARK } } }],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'spec.metrics[0].resource.target.averageValue',
    {
      metadata: META,
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        maxReplicas: 1,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: MARK } } },
        ],
      },
    },
  ],
];

/** @param isServed kinds that are not are left out */
export async function askQuantities(
  call: Call,
  parallel: number,
  isServed: (kind: string) => boolean,
): Promise<readonly QuantityRow[]> {
  const rows: QuantityRow[] = [];
  for (const [apiVersion, kind, resource, path, object] of PLACES.filter((place) => isServed(place[1]))) {
    const base = { name: kind, resource, object: { apiVersion, kind, ...object } as Base['object'] };
    const text = JSON.stringify(base.object);
    const answers = new Map<string, QuantityRow>();
    await inParallel(SPELLINGS, parallel, async (sent) => {
      const answer = await call(
        'POST',
        collectionOf(base) + DRY,
        text.replace(JSON.stringify(MARK), () => sent),
      );
      const head = { kind, path, sent, status: answer.status };
      const found = valueAt(bodyOf(answer), parsePath(path));
      const told = answer.status === 201 ? { got: found === undefined ? 'absent' : found } : refusalOf(bodyOf(answer));
      answers.set(sent, { ...head, ...told });
    });
    rows.push(...SPELLINGS.flatMap((sent) => answers.get(sent) ?? []));
  }
  return rows;
}
