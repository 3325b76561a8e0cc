/** The volumes' metrics, under upstream's names. */
import { VOLUME_TROUBLES } from '../../api/index.ts';
import type { MetricsRegistry } from '../../lib/index.ts';
import { BoundedNames } from '../csi/bounded-names.ts';
import type { VolumeTrouble } from '../types.ts';

/** Names of plugins that are told apart. */
const MAX_PLUGINS = 128;

/** Upstream's buckets, seconds. */
const OPERATION_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

export interface VolumeCount {
  readonly plugin: string;
  readonly mounted: boolean;
}

export interface VolumeMetrics {
  operation(plugin: string, name: 'volume_mount' | 'volume_unmount', status: string, seconds: number): void;
}

/** @param troubles what is wrong with volumes now */
export function createVolumeMetrics(
  metrics: MetricsRegistry,
  volumes: () => Iterable<VolumeCount>,
  troubles: () => Iterable<Pick<VolumeTrouble, 'reason'>>,
): VolumeMetrics {
  const seconds = metrics.histogram({
    name: 'storage_operation_duration_seconds',
    help: 'How long operations on volumes took.',
    labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    buckets: OPERATION_BUCKETS,
  });
  const total = metrics.gauge({
    name: 'volume_manager_total_volumes',
    help: 'Volumes of pods that should run here, and those of them that are set up.',
    labels: ['plugin_name', 'state'],
  });
  countTroubles(metrics, troubles);
  // CSI drivers are part of the names.
  const names = new BoundedNames(MAX_PLUGINS);
  const seen = new Set<string>();
  metrics.onCollect(() => {
    const counts = new Map<string, { desired: number; actual: number }>();
    for (const plugin of seen) counts.set(plugin, { desired: 0, actual: 0 });
    for (const { plugin: name, mounted } of volumes()) {
      const plugin = names.label(name);
      const count = counts.get(plugin) ?? { desired: 0, actual: 0 };
      counts.set(plugin, { desired: count.desired + 1, actual: count.actual + (mounted ? 1 : 0) });
      seen.add(plugin);
    }
    for (const [plugin, { desired, actual }] of counts) {
      total.set(desired, { plugin_name: plugin, state: 'desired_state_of_world' });
      total.set(actual, { plugin_name: plugin, state: 'actual_state_of_world' });
    }
  });
  return {
    operation: (plugin, name, status, duration) =>
      seconds.observe(duration, {
        volume_plugin: names.label(plugin),
        operation_name: name,
        status,
        migrated: 'false',
      }),
  };
}

function countTroubles(metrics: MetricsRegistry, troubles: () => Iterable<Pick<VolumeTrouble, 'reason'>>): void {
  const gauge = metrics.gauge({
    name: 'mendlet_volume_problems',
    help: 'Volumes of pods that do not work, by what is wrong with them.',
    labels: ['reason'],
  });
  let wereAny = false;
  metrics.onCollect(() => {
    const all = [...troubles()];
    // A node without a problem has no series of it.
    if (all.length === 0 && !wereAny) return;
    wereAny = true;
    for (const reason of VOLUME_TROUBLES) gauge.set(all.filter((each) => each.reason === reason).length, { reason });
  });
}
