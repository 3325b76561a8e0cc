/** Which addresses outside of the network of services this node refuses to services, and what it needs to know for that. */
import { type Node, NODES, type Service } from '../api/index.ts';
import { createEventRecorder, type KubeClient, type Lister, referenceTo } from '../client/index.ts';
import { hostSockets } from '../kubelet/listeners.node.ts';
import {
  type AddressOwners,
  addressOwners,
  externalIpProblem,
  type HostSocket,
  TAKEN_PORTS_ANNOTATION,
  TakenPorts,
  type OutsideFront,
  type ServiceDirectory,
} from '../network/index.ts';
import type { Ground } from './ground.ts';

export interface OutsideSources {
  readonly nodeName: string;
  readonly directory: ServiceDirectory;
  readonly nodes: Lister<Node>;
  /** Addresses of this machine. */
  readonly own: () => readonly string[];
  readonly serviceNetworks: () => readonly string[];
  /** Ports that lead to pods of this node. */
  readonly hostPorts: () => readonly HostSocket[];
  /** As the node. */
  readonly client: KubeClient;
}

export interface OutsideAddresses {
  /** Why the front is not made here; undefined: it is. */
  refuses(front: OutsideFront): string | undefined;
  /** Looks once, so that the first plan knows. */
  begin(): Promise<void>;
  /** Keeps looking. @param onChange is told which services have other answers now; undefined: perhaps all */
  start(onChange: (serviceKeys?: readonly string[]) => void): void;
}

export function outsideAddresses(ground: Ground, sources: OutsideSources): OutsideAddresses {
  const { nodeName, directory, nodes, own, serviceNetworks, hostPorts } = sources;
  let changed: (serviceKeys?: readonly string[]) => void = () => {};
  const tell = serviceEvents(ground, sources);
  const takenPorts = new TakenPorts(
    {
      directory,
      sockets: async () => [...(await hostSockets()), ...hostPorts()],
      addresses: () => addressesOf(nodes.get(undefined, nodeName)),
      clock: ground.clock,
      logger: ground.logger.child({ component: 'taken-ports' }),
    },
    {
      onChange: (keys) => changed(keys),
      publish: (ports) => publishPorts(sources, ports),
      tell: (service, port) =>
        tell(
          service,
          `port ${port} of node ${nodeName} is in use by a program or a pod of that machine: the service is not reached there`,
        ),
    },
  );
  let owners: AddressOwners = addressOwners([]);
  const refuses = ({ ip, port, by }: OutsideFront): string | undefined => {
    if (by === 'externalIPs') return externalIpProblem(ip, owners, { own: own(), serviceNetworks: serviceNetworks() });
    if (by === 'others' || !own().includes(ip)) return undefined;
    const isTaken = takenPorts.isTaken(port);
    if (isTaken === undefined) return 'whether a program or a pod of this machine has it is not known yet';
    return isTaken ? 'a program or a pod of this machine has it' : undefined;
  };
  return {
    refuses,
    begin: async () => {
      owners = addressOwners(nodes.list());
      await takenPorts.look();
    },
    start: (onChange) => {
      changed = onChange;
      nodes.onChange(() => {
        const found = addressOwners(nodes.list());
        if (textOf(found) === textOf(owners)) return;
        owners = found;
        onChange();
      });
      ground.background.start('taken ports', (signal) => takenPorts.run(signal));
    },
  };
}

function textOf({ nodes, podNetworks }: AddressOwners): string {
  return JSON.stringify([[...nodes], podNetworks]);
}

function addressesOf(node: Node | undefined): readonly string[] {
  return (node?.status?.addresses ?? []).map(({ address }) => address);
}

/** The Node says it to the controller of load balancers. */
async function publishPorts({ nodes, nodeName, client }: OutsideSources, ports: readonly string[]): Promise<void> {
  const stored = nodes.get(undefined, nodeName)?.metadata?.annotations?.[TAKEN_PORTS_ANNOTATION] ?? '';
  if (stored === ports.join()) return;
  const annotations = { [TAKEN_PORTS_ANNOTATION]: ports.length === 0 ? null : ports.join() };
  await client.patch(NODES, undefined, nodeName, 'merge', { metadata: { annotations } });
}

function serviceEvents(
  { clock, random, logger, background }: Ground,
  { client, nodeName }: OutsideSources,
): (service: Service, message: string) => void {
  const events = createEventRecorder({
    client,
    clock,
    random: random.split('taken-port-events'),
    logger: logger.child({ component: 'taken-ports' }),
    component: 'mendlet-service-router',
    host: nodeName,
  });
  background.start('events of host ports', (signal) => events.run(signal));
  return (service, message) =>
    events.event(
      referenceTo({ apiVersion: 'v1', kind: 'Service', ...service }),
      'Warning',
      'LoadBalancerPortInUse',
      message,
    );
}
