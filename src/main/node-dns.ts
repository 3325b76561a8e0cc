/** The node's DNS server on the machine's own sockets. */
import type { RuntimeChoice } from '../cli/index.ts';
import type { KubeletSettings } from '../kubelet/index.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import type { MetricsRegistry } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';
import { openDnsSockets } from '../network/dns/dns-sockets.node.ts';
import { NodeDns } from '../network/index.ts';
import { openNetworkMachine } from '../network/network-machine.node.ts';
import type { Ground } from './ground.ts';
import type { ServiceNetwork } from './service-network.ts';

export interface NodeDnsPlace {
  readonly instanceId: string;
  readonly node: { readonly podCidr: string };
  readonly settings: { readonly runtime: RuntimeChoice; readonly kubelet: KubeletSettings };
  readonly services: ServiceNetwork;
  readonly metrics: MetricsRegistry;
}

/** It answers as soon as it listens; disposing of `stack` ends it. */
export function startNodeDns(
  { clock, random, logger: log, background }: Ground,
  { instanceId, node, settings, services, metrics }: NodeDnsPlace,
  stack: AsyncDisposableStack,
): NodeDns {
  const logger = log.child({ component: 'dns' });
  const { clusterDomain, resolvConf } = settings.kubelet;
  // The network of a given runtime's pods is that runtime's own.
  const podCidr = settings.runtime.kind === 'socket' ? '' : node.podCidr;
  const dns = new NodeDns(
    {
      sockets: openDnsSockets(logger),
      machine: openNetworkMachine(systemProcess),
      fs: systemFileSystem,
      clock,
      random: random.split('dns'),
      logger,
      metrics,
    },
    { instanceId, clusterDomain, resolvConf, podCidr },
    services,
    background.signal,
  );
  stack.defer(() => dns.close());
  return dns;
}

/** What the user configured wins. */
export function withClusterDns(settings: KubeletSettings, address: string | undefined): KubeletSettings {
  if (address === undefined || settings.clusterDns.length > 0) return settings;
  return { ...settings, clusterDns: [address] };
}
