/** The host ports that a pod wants (upstream: kubelet/container/helpers.go MakePortMappings). Pure. */
import type { Pod } from '../../api/index.ts';
import type { PortMapping } from '../../cri/index.ts';

/** All ports of a pod; without a host port it is 0. On the host network a port is the host's already. */
export function portMappings(pod: Pod): readonly PortMapping[] {
  if (pod.spec?.hostNetwork === true) return [];
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(pod.spec?.containers ?? []), ...sidecars]
    .flatMap(({ ports }) => ports ?? [])
    .map((port) => ({
      protocol: protocolOf(port.protocol),
      containerPort: port.containerPort,
      hostPort: port.hostPort ?? 0,
      hostIp: port.hostIP ?? '',
    }));
}

export function hostPortsOf(pod: Pod): readonly PortMapping[] {
  return portMappings(pod).filter(({ hostPort }) => hostPort > 0);
}

function protocolOf(protocol: string | undefined): PortMapping['protocol'] {
  return protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP';
}
