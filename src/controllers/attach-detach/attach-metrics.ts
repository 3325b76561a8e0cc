/** The metrics of attaching, under upstream's names. */
import { driverVolumeName, driverVolumeOf } from '../../api/index.ts';
import type { Gauge, Labels, MetricsRegistry } from '../../lib/index.ts';
import type { AttachmentListers } from './gather-facts.ts';
import type { ForceReason } from './plan-attachments.ts';

/** Upstream's buckets, seconds. */
const OPERATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

export interface AttachMetrics {
  forced(reason: ForceReason): void;
  /** @param seconds since the attachment was made */
  attached(driver: string, seconds: number): void;
}

export function createAttachMetrics(metrics: MetricsRegistry, listers: AttachmentListers): AttachMetrics {
  const forced = metrics.counter({
    name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
    help: 'Number of times the A/D Controller performed a forced detach',
    labels: ['reason'],
  });
  const seconds = metrics.histogram({
    name: 'storage_operation_duration_seconds',
    help: 'How long operations on volumes took.',
    labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    buckets: OPERATION_BUCKETS,
  });
  const total = new CountedGauge(
    metrics.gauge({
      name: 'attachdetach_controller_total_volumes',
      help: 'Number of volumes in A/D Controller',
      labels: ['plugin_name', 'state'],
    }),
  );
  const inUse = new CountedGauge(
    metrics.gauge({
      name: 'storage_count_attachable_volumes_in_use',
      help: 'Measure number of volumes in use',
      labels: ['node', 'volume_plugin'],
    }),
  );
  metrics.onCollect(() => {
    for (const { spec } of listers.volumes.list()) {
      const source = driverVolumeOf(spec);
      if (source === undefined) continue;
      const plugin = pluginOf(source.driver);
      const uses = listers.usesOf(driverVolumeName(source), source).filter(({ volume }) => volume.spec === spec);
      const pods = uses.flatMap((use) => use.pods);
      for (const pod of pods) inUse.count({ node: pod.spec?.nodeName ?? '', volume_plugin: plugin });
      for (const _ of new Set(pods.map((pod) => pod.spec?.nodeName)))
        total.count({ plugin_name: plugin, state: 'desired_state_of_world' });
    }
    for (const { spec, status } of listers.attachments.list()) {
      if (status?.attached === true)
        total.count({ plugin_name: pluginOf(spec.attacher), state: 'actual_state_of_world' });
    }
    total.flush();
    inUse.flush();
  });
  return {
    forced: (reason) => forced.inc({ reason }),
    attached: (driver, duration) =>
      seconds.observe(duration, {
        volume_plugin: pluginOf(driver),
        operation_name: 'volume_attach',
        status: 'success',
        migrated: 'false',
      }),
  };
}

function pluginOf(driver: string): string {
  return `kubernetes.io/csi:${driver}`;
}

/** A gauge that is counted anew each time. What is not counted any more goes. */
class CountedGauge {
  readonly #gauge: Gauge;
  #known = new Map<string, Labels>();
  #counts = new Map<string, { readonly labels: Labels; count: number }>();

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  count(labels: Labels): void {
    const key = JSON.stringify(labels);
    const known = this.#counts.get(key) ?? { labels, count: 0 };
    known.count += 1;
    this.#counts.set(key, known);
  }

  flush(): void {
    for (const [key, labels] of this.#known) if (!this.#counts.has(key)) this.#gauge.remove(labels);
    for (const { labels, count } of this.#counts.values()) this.#gauge.set(count, labels);
    this.#known = new Map([...this.#counts].map(([key, { labels }]) => [key, labels]));
    this.#counts = new Map();
  }
}
