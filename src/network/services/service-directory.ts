/** All Services and their EndpointSlices, as one node sees them: routing and DNS read the same. */
import { ENDPOINT_SLICES, type EndpointSlice, type Service, SERVICES } from '../../api/index.ts';
import { type Change, createReflector, keyOf, type KubeClient, type Lister, objectKey } from '../../client/index.ts';
import type { Clock, Logger, Random } from '../../lib/index.ts';

/** The label by which a slice names its service (discovery/v1, LabelServiceName). */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

export interface ServiceDirectory {
  /** True once both kinds have been listed: before that an absence proves nothing, and nothing is written. */
  readonly synced: boolean;
  services(): readonly Service[];
  service(namespace: string, name: string): Service | undefined;
  /** All of one namespace. */
  servicesIn(namespace: string): readonly Service[];
  /** Those of one service, in a stable order. */
  slices(namespace: string, name: string): readonly EndpointSlice[];
  /** Slices that name this pod. */
  slicesOfPod(podUid: string): readonly EndpointSlice[];
  /** Slices in which an address of this value stands. */
  slicesAt(address: string): readonly EndpointSlice[];
  /** Services that have this cluster IP. */
  servicesAt(clusterIP: string): readonly Service[];
  /**
   * Calls the listener with "namespace/name" of a service whose object or slices changed.
   * @returns a function that ends that
   */
  onChange(listener: (serviceKey: string) => void): () => void;
  waitForSync(signal: AbortSignal): Promise<void>;
}

export interface DirectoryPorts {
  /** May list and watch Services and EndpointSlices of all namespaces. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const BY_SERVICE = 'service';
const BY_POD = 'pod';
const BY_ADDRESS = 'address';
const BY_NAMESPACE = 'namespace';

/** "namespace/name" of the service that a slice is of; undefined: it is of none. */
export function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata?.labels?.[SERVICE_NAME_LABEL];
  return name === undefined || name === '' ? undefined : keyOf(metadata?.namespace, name);
}

export interface RunningDirectory extends ServiceDirectory {
  /** Watches until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function createServiceDirectory(ports: DirectoryPorts): RunningDirectory {
  const services = createReflector<Service>(ports, {
    resource: SERVICES,
    query: {},
    indexes: { [BY_ADDRESS]: clusterAddressesOf, [BY_NAMESPACE]: ({ metadata }) => present(metadata?.namespace) },
  });
  const slices = createReflector<EndpointSlice>(ports, {
    resource: ENDPOINT_SLICES,
    query: { labelSelector: SERVICE_NAME_LABEL },
    indexes: { [BY_SERVICE]: (slice) => present(serviceKeyOf(slice)), [BY_POD]: podsOf, [BY_ADDRESS]: addressesOf },
  });
  return {
    ...directoryOf(services.lister, slices.lister),
    // A spread would read it once.
    get synced() {
      return services.lister.synced && slices.lister.synced;
    },
    run: async (signal) => {
      await Promise.all([services.run(signal), slices.run(signal)]);
    },
  };
}

function directoryOf(services: Lister<Service>, slices: Lister<EndpointSlice>): Omit<ServiceDirectory, 'synced'> {
  return {
    services: () => services.list(),
    service: (namespace, name) => services.get(namespace, name),
    servicesIn: (namespace) => services.byIndex(BY_NAMESPACE, namespace),
    slices: (namespace, name) => slices.byIndex(BY_SERVICE, keyOf(namespace, name)).toSorted(byName),
    slicesOfPod: (podUid) => slices.byIndex(BY_POD, podUid),
    slicesAt: (address) => slices.byIndex(BY_ADDRESS, address),
    servicesAt: (clusterIP) => services.byIndex(BY_ADDRESS, clusterIP),
    onChange: (listener) => {
      const ends = [
        services.onChange(({ object }) => listener(objectKey(object))),
        slices.onChange((change) => {
          for (const key of serviceKeysOf(change)) listener(key);
        }),
      ];
      return () => ends.forEach((end) => end());
    },
    waitForSync: async (signal) => {
      await Promise.all([services.waitForSync(signal), slices.waitForSync(signal)]);
    },
  };
}

/** A slice can change the service that it is of. */
function serviceKeysOf(change: Change<EndpointSlice>): ReadonlySet<string> {
  const previous = change.type === 'apply' && change.previous !== undefined ? [change.previous] : [];
  return new Set([change.object, ...previous].flatMap((slice) => present(serviceKeyOf(slice))));
}

function clusterAddressesOf({ spec }: Service): readonly string[] {
  return [...new Set([...(spec?.clusterIPs ?? []), ...present(spec?.clusterIP)])];
}

function podsOf(slice: EndpointSlice): readonly string[] {
  return (slice.endpoints ?? []).flatMap(({ targetRef }) => (targetRef?.kind === 'Pod' ? present(targetRef.uid) : []));
}

function addressesOf(slice: EndpointSlice): readonly string[] {
  return [...new Set((slice.endpoints ?? []).flatMap(({ addresses }) => addresses))];
}

function present(value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [value];
}

function byName(a: EndpointSlice, b: EndpointSlice): number {
  const [left, right] = [a.metadata?.name ?? '', b.metadata?.name ?? ''];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
