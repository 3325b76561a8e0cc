/**
 * Reads the figures for the metrics API from a kubelet's /stats/summary. Pure: a node may run another kubelet, so nothing is
 * taken for granted.
 */

/** Nanocores and bytes. */
export interface Usage {
  readonly cpu: number;
  readonly memory: number;
}

export interface PodFigures {
  /** RFC 3339. */
  readonly time: string;
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

export interface NodeFigures {
  /** Nothing is left out that the node will soon know more of. */
  readonly isComplete: boolean;
  readonly node?: { readonly time: string; readonly usage: Usage };
  /** By pod UID. */
  readonly pods: ReadonlyMap<string, PodFigures>;
}

export const NO_FIGURES: NodeFigures = { isComplete: true, pods: new Map() };

/** A pod is only in it with all of its containers: a part would look like a whole that uses little. */
export function readSummary(summary: unknown): NodeFigures {
  const root = fields(summary);
  const node = measured(root['node']);
  const entries = list(root['pods']);
  const pods = entries.flatMap((entry): readonly (readonly [string, PodFigures])[] => {
    const pod = fields(entry);
    const uid = fields(pod['podRef'])['uid'];
    const containers = list(pod['containers']).map((each) => ({ name: fields(each)['name'], found: measured(each) }));
    const times = containers.map(({ found }) => found?.time ?? '').filter((time) => time !== '');
    const complete = containers.flatMap(({ name, found }) =>
      found === undefined || typeof name !== 'string' ? [] : [{ name, usage: found.usage }],
    );
    if (typeof uid !== 'string' || complete.length === 0 || complete.length < containers.length) return [];
    return [[uid, { time: times.toSorted()[0] ?? '', containers: complete }]];
  });
  const isComplete = node !== undefined && pods.length === entries.length;
  return { isComplete, ...(node && { node }), pods: new Map(pods) };
}

function measured(value: unknown): { readonly time: string; readonly usage: Usage } | undefined {
  const cpu = fields(fields(value)['cpu']);
  const memory = fields(fields(value)['memory']);
  const { time, usageNanoCores } = cpu;
  const { workingSetBytes } = memory;
  if (typeof time !== 'string' || !isCount(usageNanoCores) || !isCount(workingSetBytes)) return undefined;
  return { time, usage: { cpu: usageNanoCores, memory: workingSetBytes } };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
