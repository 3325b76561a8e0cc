/** Builds the parts that supply a container before its start: configuration objects, environment, images, volumes. */
import { SERVICES } from '../../api/index.ts';
import type { KubeletConfig } from '../configuration.ts';
import type { BlackBox } from '../deaths/black-box.ts';
import { type ConfigCache, createConfigCache } from '../env/config-cache.ts';
import { createEnvironmentResolver } from '../env/container-environment.ts';
import { createKnownServices } from '../env/known-services.ts';
import { createImageManager } from '../images/image-manager.ts';
import type { EnvironmentResolver, ImageManager, VolumeManager } from '../types.ts';
import { imageVolumeProblem } from '../volumes/image-volume.ts';
import { createVolumeManager } from '../volumes/volume-manager.ts';
import { type Given, givenTo, type Ground } from './ground.ts';

export interface Supplies {
  readonly configCache: ConfigCache;
  readonly environment: EnvironmentResolver;
  readonly images: ImageManager;
  readonly volumes: VolumeManager;
}

export function createSupplies(
  given: Pick<Given, 'clock' | 'random' | 'logger' | 'metrics' | 'fs' | 'process' | 'client' | 'images' | 'settings'>,
  { nodeName, rootDir, apiServer }: Pick<KubeletConfig, 'nodeName' | 'rootDir' | 'apiServer'>,
  { informers, events, markDirty, node }: Pick<Ground, 'informers' | 'events' | 'markDirty' | 'node'>,
  { changes }: Pick<BlackBox, 'changes'>,
): Supplies {
  const { clock, random, logger, client, settings } = given;
  const configCache = createConfigCache({
    clock,
    client,
    logger,
    random: random.split('config'),
    onVersion: (kind, namespace, name, change) => changes.object(kind, namespace, name, change),
  });
  const services = createKnownServices(informers.lister(SERVICES), { clock, logger });
  const environment = createEnvironmentResolver({ config: configCache, events, apiServer, services });
  const images = createImageManager({
    clock,
    logger,
    images: given.images,
    config: configCache,
    events,
    markDirty,
    settings,
  });
  const place = { nodeName, rootDir, nodeResources: () => node.allocatable() };
  const volumes = createVolumeManager(givenTo('volumes', given), place, {
    config: configCache,
    events,
    markDirty,
    images,
    imageVolumeProblem: (subPath) => imageVolumeProblem(node.known, subPath),
  });
  return { configCache, environment, images, volumes };
}
