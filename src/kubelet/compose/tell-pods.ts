/** Builds the sources of pods and the sinks of their status: API server, manifest folder, mirrors of static pods. */
import { type ApiSource, createApiSource } from '../config/api-source.ts';
import { FileSource } from '../config/file-source.ts';
import { MirrorPods } from '../config/mirror-pods.ts';
import type { KubeletConfig } from '../configuration.ts';
import { createMirroredStatus, type MirroredStatus } from '../status/mirrored-status.ts';
import { createStatusManager, type DeliveringStatusManager } from '../status/status-manager.ts';
import type { Given, Ground } from './ground.ts';

export interface PodTraffic {
  readonly mirrors: MirrorPods;
  readonly source: ApiSource;
  /** Absent: there is no manifest folder. */
  readonly files: FileSource | undefined;
  /** The status manager, which also reports static pods through their mirrors. */
  readonly status: MirroredStatus;
  /** The status manager that delivers to the API server. */
  readonly delivery: DeliveringStatusManager;
}

export function createPodTraffic(
  given: Pick<Given, 'clock' | 'logger' | 'metrics' | 'client' | 'fs' | 'settings'>,
  { nodeName }: Pick<KubeletConfig, 'nodeName'>,
  ground: Pick<Ground, 'informers' | 'desired' | 'events' | 'markDirty' | 'node' | 'queue'>,
): PodTraffic {
  const { clock, logger, metrics, client, fs } = given;
  const { informers, desired, events, markDirty, node, queue } = ground;
  const delivery = createStatusManager({ clock, logger, metrics, client });
  const mirrors: MirrorPods = new MirrorPods({
    clock,
    logger,
    client,
    desired,
    node: () => node.object(),
    onChange: (uid) => {
      status.mirrorChanged(uid);
      // Any client that may write to the server can call a pod a mirror.
      if (desired.get(uid) !== undefined) markDirty(uid, 'config');
    },
  });
  const status = createMirroredStatus(delivery, (pod) => mirrors.of(pod));
  desired.onChange((pod) => mirrors.changed(pod));
  const source = createApiSource({
    informers,
    clock,
    logger,
    client,
    nodeName,
    desired,
    mirrors,
    onAbsence: (uid) => queue.add(uid),
  });
  const { staticPodPath: path, fileCheckFrequencyMs } = given.settings;
  const files =
    path === undefined
      ? undefined
      : new FileSource({ clock, logger, fs, events, nodeName, desired, path, fileCheckFrequencyMs });
  return { mirrors, source, files, status, delivery };
}
